import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request } from "express";
import type { Logger } from "pino";
import type { DataVersions } from "../db/data-versions.ts";
import { AnswerBuild, type Source } from "./answer-build.ts";
import { type AnswerForm, RememberedAnswer } from "./answer-forms.ts";
import { AnswerMemory } from "./answer-memory.ts";
import { type Asked, type AskedSession, type AskedSettings, audienceOf, readAsked } from "./asked.ts";
import { Building } from "./building.ts";
import { type Exchange, give, giveFilled } from "./give-answer.ts";
import type { Header } from "./headers.ts";
import type { KnownReader } from "./known-readers.ts";
import { noteRouteName, routeNameOf } from "./route-name.ts";
import type { TargetedRequest } from "./target.ts";

export interface RememberedAnswersSettings extends AskedSettings {
  readonly keys: KnownKeys;
  readonly versions: DataVersions;
  /** A number that changes whenever a search may have other results. */
  readonly epoch: () => number;
  /** A number that changes with what the operator says of the site. */
  readonly siteEpoch: () => number;
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

/** Answers a request whose target was read (see target.ts), or passes it on. */
export type Front = (req: TargetedRequest, res: ServerResponse, pass: () => void) => void;

/** With what it remembers, and how many answers it has given from memory. */
export type RememberedFront = Front & { sizes(): { answers: number; bytes: number; given: number } };

/** A request that can be handed to the app. */
interface Asking extends Exchange {
  readonly req: TargetedRequest;
  readonly pass: () => void;
}

/** For so long an answer with ages and times left is true enough: with its making, less than a second. */
const TIME_SHOWN_MS = 900;
/** From this age on the next request renews such an answer, while others are still given the old one. */
const RENEW_MS = 600;
/** A request waits so many times for somebody else's answer before it makes its own. */
const WAITS = 3;

/**
 * The first to be asked, before Express: repeats an answer that was given before, as long as nothing that it is made
 * of has changed. An answer is made by one request for all that wait for it. It is kept from the second time on that
 * somebody asks.
 *
 * A logged-in reader is looked up, and gets the page that was made for all readers with their own parts set in. All
 * requests are passed on while the log has a line for each.
 */
export function rememberAnswers(settings: RememberedAnswersSettings): RememberedFront {
  const answers = new RememberedAnswers(settings);
  const front: Front = (req, res, pass) => {
    const withBuild = () => {
      if (isRead(req) && !("build" in req)) attach(new AnswerBuild(), { req, res });
      pass();
    };
    answers.answer({ req, res, pass: withBuild });
  };
  return Object.assign(front, { sizes: () => answers.sizes });
}

class RememberedAnswers {
  readonly #settings: RememberedAnswersSettings;
  readonly #memory = new AnswerMemory<RememberedAnswer>();
  /** By key. */
  readonly #building = new Map<string, Building>();
  #given = 0;

  constructor(settings: RememberedAnswersSettings) {
    this.#settings = settings;
  }

  get sizes() {
    return { answers: this.#memory.size, bytes: this.#memory.bytes, given: this.#given };
  }

  answer(exchange: Asking): void {
    const { req, pass } = exchange;
    if (!isRead(req)) this.#expectChange(exchange);
    const canRepeat = isRead(req) && !this.#settings.log.isLevelEnabled("debug");
    const asked = canRepeat ? readAsked(req, this.#settings) : undefined;
    if (asked === undefined) pass();
    else if (this.#isKeyKnown(asked) && this.#settings.versions.isSettled) this.#answer(asked, exchange);
    else {
      this.#prepare(asked).then(
        (isRefused) => (isRefused ? pass() : this.#answer(asked, exchange)),
        // The app says what is wrong.
        pass,
      );
    }
  }

  /** After a write the writer is looked up again, and so they are during it. */
  #expectChange({ req, res }: Exchange): void {
    const { sessions } = this.#settings;
    if (req.headers.cookie === undefined || !sessions.isStored(req)) return;
    const cookie = sessions.cookieOf(req);
    sessions.readers.doubt(cookie);
    // A write that failed has changed nothing, and without the database nobody could be looked up.
    res.once("close", () => res.statusCode !== 503 && sessions.readers.forget(cookie));
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

  #answer(asked: Asked, exchange: Asking, waits = 0): void {
    // The client may have left while the request waited.
    if (exchange.res.closed) return;
    const answer = this.#memory.get(asked.key);
    const building = this.#building.get(asked.key);
    const { isSilent, ageS } = this.#settings.versions;
    if (answer && isSilent) this.#give(asked, exchange, answer, ageS);
    else if (answer && this.#isTrue(answer, building !== undefined)) this.#give(asked, exchange, answer);
    else if (building && waits < WAITS) {
      // Who waits for what is made anew for each asks for their own at once.
      void building
        .wait()
        .then(({ canShare }) => this.#answer(asked, exchange, canShare ? waits + 1 : WAITS));
    } else this.#build(asked, exchange);
  }

  /** Whether an answer may be given as it is; one that shows a time is renewed before it is too old. */
  #isTrue({ sources, states, showsTime, beganAt }: RememberedAnswer, isBuilding: boolean): boolean {
    if (!sources.every((source) => this.#stateOf(source) === states[source])) return false;
    const youngerThan = Math.min(isBuilding ? TIME_SHOWN_MS : RENEW_MS, this.#settings.versions.maxAgeMs);
    return !showsTime || performance.now() - beganAt < youngerThan;
  }

  #give(asked: Asked, exchange: Asking, answer: RememberedAnswer, ageS?: number): void {
    const { session, apiKey, encoding } = asked;
    if (session) {
      this.#giveToReader(asked, session, exchange, answer, ageS);
      return;
    }
    if (apiKey !== undefined) this.#settings.keys.noteUse(apiKey);
    this.#noteGiven(exchange, answer);
    const how = { isPrivate: apiKey !== undefined, ageS };
    const form = (ageS !== undefined && answer.awayForm) || answer.form(encoding);
    if (form) give(exchange, form, how);
    else void this.#addForm(asked, answer).then((added) => give(exchange, added, how));
  }

  async #addForm({ key, encoding }: Asked, answer: RememberedAnswer): Promise<AnswerForm> {
    const form = await answer.addForm(encoding);
    this.#memory.set(key, answer);
    return form;
  }

  /** Gives a logged-in reader an answer that was made for all of them, with what is theirs set in. */
  #giveToReader(
    asked: Asked,
    session: AskedSession,
    exchange: Asking,
    answer: RememberedAnswer,
    ageS?: number,
  ): void {
    const { readers } = this.#settings.sessions;
    const marks = answer.personal?.favorites ?? [];
    const isKnown = session.reader?.knows(marks);
    const reader = isKnown ? session.reader : readers.peek(session.cookie, marks, ageS !== undefined);
    if (!reader) {
      readers.find(session.cookie, marks).then((found) => {
        if (!found) return exchange.pass();
        // The answer may be of the past by now.
        this.#answer({ ...asked, session: { ...session, reader: found } }, exchange);
      }, exchange.pass);
    } else if (!isFor(reader, session)) exchange.pass();
    else {
      this.#noteGiven(exchange, answer);
      if (answer.personal)
        void giveFilled(exchange, answer.fill(reader, asked.encoding, ageS !== undefined), ageS);
      else void this.#addForm(asked, answer).then((form) => give(exchange, form, { isPrivate: false, ageS }));
    }
  }

  #noteGiven({ req }: Exchange, { route }: RememberedAnswer): void {
    noteRouteName(req, route);
    this.#given += 1;
  }

  /** Passes a request on, and keeps what it is answered. */
  #build(asked: Asked, exchange: Asking): void {
    const { key, session } = asked;
    const { req, res } = exchange;
    const isWanted = this.#memory.wants(key);
    const states = this.#states();
    if (states !== undefined) {
      const mine = this.#begin(key);
      const build = new AnswerBuild({
        isWanted: () => (isWanted || mine.isAwaited) && isMadeFor(req, session),
        keep: (made) => {
          if (!isCovered(made.headers, asked.covers)) return mine.end({ canShare: false });
          const how = { beganAt: build.beganAt, route: routeNameOf(req), states };
          this.#memory.set(key, new RememberedAnswer(made, how));
          mine.end({ canShare: true });
        },
        giveOlder: () => {
          const isGiven = this.#giveOlder(asked, exchange);
          if (isGiven) mine.end({ canShare: true });
          return isGiven;
        },
      });
      // One that failed is tried again by the next alone, lest all who wait try at once.
      res.once("close", () => mine.end({ canShare: !res.writableFinished || res.statusCode !== 200 }));
      attach(build, exchange);
    }
    exchange.pass();
  }

  /** Not for readers who are logged in: they may have to be looked up. False if nothing was given. */
  #giveOlder(asked: Asked, exchange: Asking): boolean {
    const answer = this.#memory.get(asked.key);
    const { res } = exchange;
    if (answer === undefined || asked.session !== undefined || res.headersSent) return false;
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    res.statusCode = 200;
    this.#give(asked, exchange, answer, this.#settings.versions.ageS);
    return true;
  }

  /** Lets others wait for an answer until its end. */
  #begin(key: string): Building {
    const building = new Building(() => {
      if (this.#building.get(key) === building) this.#building.delete(key);
    });
    if (!this.#building.has(key)) this.#building.set(key, building);
    return building;
  }

  #stateOf(source: Source): unknown {
    return this.#states()?.[source];
  }

  #states(): Record<Source, unknown> | undefined {
    const { versions, epoch, siteEpoch } = this.#settings;
    const { current } = versions;
    return current && { ...current, site: `${current.site} ${siteEpoch()}`, search: epoch() };
  }
}

/** From here on the request's queries see one state of the database. */
function attach(build: AnswerBuild, { req, res }: Exchange): void {
  // One that has left already closes no second time.
  if (res.closed) build.end();
  else res.once("close", () => build.end());
  Object.assign(req, { build });
}

/** Whether an answer varies only by request headers that its key stands for. */
function isCovered(headers: readonly Header[], covers: ReadonlySet<string>): boolean {
  const vary = headers.find(([name]) => name.toLowerCase() === "vary")?.[1] ?? "";
  return vary.split(",").every((name) => name.trim() === "" || covers.has(name.trim().toLowerCase()));
}

/** Whether the app took the request for whom it was expected of: the session may have ended, or the user changed. */
function isMadeFor(req: IncomingMessage, session: AskedSession | undefined): boolean {
  if (session?.audience === undefined) return true;
  const { viewer } = req as Request;
  return viewer !== undefined && audienceOf(viewer) === session.audience;
}

/** Whether a reader is given what was made for all with the same key. */
function isFor(reader: KnownReader, { audience }: AskedSession): boolean {
  return audience === undefined || (audience === audienceOf(reader.user) && !reader.isDue);
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}
