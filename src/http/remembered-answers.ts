import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import fresh from "fresh";
import type { Logger } from "pino";
import type { DataVersions } from "../db/data-versions.ts";
import { FALLBACK } from "../i18n/languages.ts";
import { withoutKey } from "../urls.ts";
import { AnswerBuild, type Source } from "./answer-build.ts";
import { type AnswerForm, RememberedAnswer } from "./answer-forms.ts";
import { AnswerMemory } from "./answer-memory.ts";
import type { Access } from "./auth.ts";
import { type Encoding, preferredEncoding } from "./encoding.ts";
import { browserLanguage, splitLanguage } from "./locale.ts";
import type { Sessions } from "./session.ts";

export interface RememberedAnswersSettings {
  /** Access of each path below /api; other paths are open to anybody. */
  readonly accessOf: ReadonlyMap<string, Access>;
  readonly sessions: Pick<Sessions, "isStored" | "isAnonymous">;
  readonly keys: KnownKeys;
  readonly versions: DataVersions;
  /** A number that changes whenever a search may have other results. */
  readonly epoch: () => number;
  /** A number that changes when a search was cut short; what was made meanwhile is not kept. */
  readonly cutShort: () => number;
  readonly log: Logger;
}

/** The API keys that this process knows to be live. */
interface KnownKeys {
  /** The owner of a key, if that is known without asking the database. */
  peek(key: string): number | undefined;
  find(key: string): Promise<number | undefined>;
  /** Counts a request with a key. */
  noteUse(key: string): void;
}

/** Answers a request, or passes it on. */
export type Front = (req: IncomingMessage, res: ServerResponse, pass: () => void) => void;

/** For so long an answer with ages and times left is true enough: with its making, less than a second. */
const TIME_SHOWN_MS = 900;
/** From this age on the next request renews such an answer, while others are still given the old one. */
const RENEW_MS = 600;
/** For so long requests wait for an answer that somebody else asked for; then they ask themselves. */
const WAIT_MS = 2_000;
/** A request waits so many times for somebody else's answer before it makes its own. */
const WAITS = 3;

/**
 * The first to be asked, before Express: repeats an answer that was given before, as long as nothing that it is made
 * of has changed. An answer is made by one request for all that wait for it. It is kept from the second time on that
 * somebody asks.
 *
 * It is for visitors and API keys; a request with a stored session is passed on, and so are all while the log has a line
 * for each.
 */
export function rememberAnswers(settings: RememberedAnswersSettings): Front {
  const answers = new RememberedAnswers(settings);
  return (req, res, pass) => answers.answer(req, res, pass);
}

/** A request that may be answered from memory. */
interface Asked {
  readonly key: string;
  readonly encoding: Encoding;
  /** The API key that it has, if any. */
  readonly apiKey: string | undefined;
}

/** An answer that is being made. */
interface Building {
  /** Resolves when it was made, or could not be kept. */
  readonly done: Promise<void>;
  /** How many wait for it. */
  waiting: number;
  end(): void;
}

class RememberedAnswers {
  readonly #settings: RememberedAnswersSettings;
  readonly #memory = new AnswerMemory<RememberedAnswer>();
  /** By key. */
  readonly #building = new Map<string, Building>();

  constructor(settings: RememberedAnswersSettings) {
    this.#settings = settings;
  }

  answer(req: IncomingMessage, res: ServerResponse, pass: () => void): void {
    const asked = this.#read(req);
    if (asked === undefined) pass();
    else if (this.#isKeyKnown(asked) && this.#settings.versions.isSettled)
      this.#answer(asked, req, res, pass);
    else {
      this.#prepare(asked).then(
        (isRefused) => (isRefused ? pass() : this.#answer(asked, req, res, pass)),
        // The app says what is wrong.
        pass,
      );
    }
  }

  #isKeyKnown({ apiKey }: Asked): boolean {
    return apiKey === undefined || this.#settings.keys.peek(apiKey) !== undefined;
  }

  /** Looks up what is not known yet; true: the key is wrong. */
  async #prepare(asked: Asked): Promise<boolean> {
    const { versions, keys } = this.#settings;
    const [owner] = await Promise.all([
      asked.apiKey === undefined || this.#isKeyKnown(asked) ? "known" : keys.find(asked.apiKey),
      versions.isSettled ? undefined : versions.confirm(),
    ]);
    return owner === undefined;
  }

  #answer(asked: Asked, req: IncomingMessage, res: ServerResponse, pass: () => void, waits = 0): void {
    // The client may have left while the request waited.
    if (res.closed) return;
    const answer = this.#memory.get(asked.key);
    const building = this.#building.get(asked.key);
    const { isAway, ageS } = this.#settings.versions;
    if (answer && isAway) this.#give(asked, req, res, answer, ageS);
    else if (answer && this.#isTrue(answer, building !== undefined)) this.#give(asked, req, res, answer);
    else if (building && waits < WAITS) {
      building.waiting += 1;
      void building.done.then(() => this.#answer(asked, req, res, pass, waits + 1));
    } else this.#build(asked, req, res, pass);
  }

  /** Whether an answer may be given as it is; one that shows a time is renewed before it is too old. */
  #isTrue({ sources, states, showsTime, beganAt }: RememberedAnswer, isBuilding: boolean): boolean {
    if (!sources.every((source) => this.#stateOf(source) === states[source])) return false;
    const youngerThan = Math.min(isBuilding ? TIME_SHOWN_MS : RENEW_MS, this.#settings.versions.maxAgeMs);
    return !showsTime || performance.now() - beganAt < youngerThan;
  }

  #give(
    asked: Asked,
    req: IncomingMessage,
    res: ServerResponse,
    answer: RememberedAnswer,
    ageS?: number,
  ): void {
    const form = (ageS !== undefined && answer.awayForm) || answer.form(asked.encoding);
    if (asked.apiKey !== undefined) this.#settings.keys.noteUse(asked.apiKey);
    const how = { isPrivate: asked.apiKey !== undefined, ageS };
    if (form) give(req, res, form, how);
    else {
      void answer.addForm(asked.encoding).then((added) => {
        this.#memory.set(asked.key, answer);
        give(req, res, added, how);
      });
    }
  }

  /** Passes a request on, and keeps what it is answered. */
  #build({ key }: Asked, req: IncomingMessage, res: ServerResponse, pass: () => void): void {
    const isWanted = this.#memory.wants(key);
    const states = this.#states();
    if (states !== undefined) {
      const cutBefore = this.#settings.cutShort();
      const mine = this.#begin(key);
      const build = new AnswerBuild((made) => {
        const isWhole = this.#settings.cutShort() === cutBefore;
        if (isWhole && (isWanted || mine.waiting > 0)) {
          this.#memory.set(key, new RememberedAnswer(made, { beganAt: build.beganAt, states }));
        }
        mine.end();
      });
      res.once("close", () => {
        build.end();
        mine.end();
      });
      Object.assign(req, { build });
    }
    pass();
  }

  /** Lets others wait for an answer until `end`. */
  #begin(key: string): Building {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, WAIT_MS);
    const end = () => {
      clearTimeout(timer);
      if (this.#building.get(key) === building) this.#building.delete(key);
      resolve();
    };
    const building: Building = { done, waiting: 0, end };
    if (!this.#building.has(key)) this.#building.set(key, building);
    return building;
  }

  #stateOf(source: Source): unknown {
    return source === "search" ? this.#settings.epoch() : this.#settings.versions.current?.[source];
  }

  #states(): Record<Source, unknown> | undefined {
    const { versions, epoch } = this.#settings;
    return versions.current && { ...versions.current, search: epoch() };
  }

  /** What a request asks for; undefined if its answer may depend on more than its address. */
  #read(req: IncomingMessage): Asked | undefined {
    const { method, url = "", headers } = req;
    if ((method !== "GET" && method !== "HEAD") || this.#settings.log.isLevelEnabled("debug"))
      return undefined;
    const access = this.#settings.accessOf.get(url.split("?", 1)[0] ?? "");
    const encoding = preferredEncoding(req);
    if (access === undefined) {
      if (url.startsWith("/api/") || this.#isOneReaders(req)) return undefined;
      return { key: `${languageOf(req)} ${url}`, encoding, apiKey: undefined };
    }
    const apiKey = headers["x-api-key"] ?? keyIn(url);
    if (apiKey !== undefined) {
      if (typeof apiKey !== "string" || access === "login") return undefined;
      return { key: withoutKey(url), encoding, apiKey };
    }
    const { sessions } = this.#settings;
    const isOpen =
      access === "none" ? !sessions.isStored(req) : access === "session-or-key" && sessions.isAnonymous(req);
    return isOpen && !mayHoldKey(url) ? { key: url, encoding, apiKey } : undefined;
  }

  /** Whether a page may be made for its reader: somebody logged in, or with a key in the address. */
  #isOneReaders(req: IncomingMessage): boolean {
    return (
      mayHoldKey(req.url ?? "") || (req.headers.cookie !== undefined && this.#settings.sessions.isStored(req))
    );
  }
}

/** The key in an address; undefined if none or several may be there. */
function keyIn(url: string): string | undefined {
  if (url.match(/[?&]api_key\b/g)?.length !== 1 || /[?&][^=&]*%/.test(url)) return undefined;
  return /[?&]api_key=([\w-]+)(?=&|$)/.exec(url)?.[1];
}

/** Whether a parameter is or may be `api_key`: percent-encoded names are not decoded here. */
function mayHoldKey(url: string): boolean {
  return url.includes("?") && /[?&](api_key\b|[^=&]*%)/.test(url);
}

/** The language of an answer, where the path leaves that to the browser. */
function languageOf(req: IncomingMessage): string {
  if (splitLanguage(req.url ?? "").language !== undefined) return "";
  return browserLanguage(req) ?? FALLBACK;
}

function give(
  req: IncomingMessage,
  res: ServerResponse,
  { headers, head, privateHead, body }: AnswerForm,
  { isPrivate, ageS }: { isPrivate: boolean; ageS: number | undefined },
): void {
  const own = ["X-Request-Id", randomUUID()];
  if (ageS !== undefined) own.push("Age", String(ageS));
  if (isUnchanged(req, headers)) res.writeHead(304, [...own, ...headers.flat()]).end();
  else res.writeHead(200, [...own, ...(isPrivate ? privateHead : head)]).end(body);
}

/** Whether the client has this answer (RFC 9110, section 13). */
function isUnchanged({ headers: asked }: IncomingMessage, headers: AnswerForm["headers"]): boolean {
  if (asked["if-none-match"] === undefined && asked["if-modified-since"] === undefined) return false;
  const own = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
  return fresh(asked, { etag: own.etag, "last-modified": own["last-modified"] });
}
