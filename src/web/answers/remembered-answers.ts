import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request } from "express";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { ChangeFeed } from "../../db/change-feed.ts";
import { onceClosed } from "../server/admission.ts";
import type { Header } from "../server/headers.ts";
import { isRead } from "../server/methods.ts";
import { noteRouteName, routeNameOf } from "../server/route-name.ts";
import type { TargetedRequest } from "../server/target.ts";
import type { KnownReader } from "../session/known-readers.ts";
import { type AnswerForm, RememberedAnswer } from "./answer-forms.ts";
import { AnswerScope, type Source } from "./answer-scope.ts";
import {
  audienceOf,
  type CacheLookup,
  type LookupSession,
  type LookupSettings,
  readCacheLookup,
} from "./cache-lookup.ts";
import { type Exchange, sendCached, sendPersonalised } from "./send-cached.ts";

interface RememberedAnswersSettings extends LookupSettings {
  readonly keys: KnownKeys;
  readonly feed: ChangeFeed;
  /** A number that changes whenever a search may have other results. */
  readonly epoch: () => number;
  /** A number that changes with the operator's settings and texts of the site. */
  readonly siteEpoch: () => number;
  readonly log: Logger;
}

/** The active API keys that this process has cached. */
interface KnownKeys {
  /** The owner of a key, if it is cached. */
  cached(key: string): number | undefined;
  find(key: string): Promise<number | undefined>;
  /** Counts a request with a key. */
  noteUse(key: string): void;
}

/** Answers a request whose target was parsed (see target.ts), or passes it on. */
type Front = (req: TargetedRequest, res: ServerResponse, pass: () => void) => void;

/** The sizes that the cache reports. */
export interface RememberedSizes {
  readonly answers: number;
  readonly bytes: number;
  /** Responses from the cache since the start. */
  readonly given: number;
}

export type RememberedFront = Front & { sizes(): RememberedSizes };

/** A request that can be passed to the app. */
interface Asking extends Exchange {
  readonly req: TargetedRequest;
  readonly pass: () => void;
}

/** How long a response that shows ages or countdowns is valid: less than a second, including its rendering. */
const TIME_SHOWN_MS = 900;
/** From this age on, the next request refreshes such a response, while others still get the old one. */
const RENEW_MS = 600;
/** How many times a request waits for another request's response before it builds its own. */
const WAITS = 3;

/**
 * A cache in front of Express: repeats a response as long as none of its sources has changed. One request builds a
 * response for all that wait for it. The second request for it puts it into the cache.
 *
 * A logged-in user is looked up, and gets the cached page with their own parts filled in. The cache is off while the log
 * has a line for each request.
 */
export function rememberAnswers(settings: RememberedAnswersSettings): RememberedFront {
  const answers = new RememberedAnswers(settings);
  const front: Front = (req, res, pass) => {
    const withScope = () => {
      if (isRead(req) && !("answerScope" in req)) attach(new AnswerScope(), { req, res });
      pass();
    };
    answers.answer({ req, res, pass: withScope });
  };
  return Object.assign(front, { sizes: () => answers.sizes });
}

class RememberedAnswers {
  readonly #settings: RememberedAnswersSettings;
  readonly #memory = new AnswerMemory<RememberedAnswer>();
  /** Responses being built, by their key. */
  readonly #building = new Map<string, InFlightAnswer>();
  #given = 0;

  constructor(settings: RememberedAnswersSettings) {
    this.#settings = settings;
  }

  get sizes(): RememberedSizes {
    return { answers: this.#memory.size, bytes: this.#memory.bytes, given: this.#given };
  }

  answer(exchange: Asking): void {
    const { req, pass } = exchange;
    if (!isRead(req)) this.#expectChange(exchange);
    const canRepeat = isRead(req) && !this.#settings.log.isLevelEnabled("debug");
    const asked = canRepeat ? readCacheLookup(req, this.#settings) : undefined;
    if (asked === undefined) pass();
    else if (this.#isKeyKnown(asked) && this.#settings.feed.canAnswer) this.#answer(asked, exchange);
    else {
      this.#prepare(asked).then(
        (isRefused) => (isRefused ? pass() : this.#answer(asked, exchange)),
        // Lets the app report the error.
        pass,
      );
    }
  }

  /** Looks the writer up again during and after a write. */
  #expectChange({ req, res }: Exchange): void {
    const { sessions } = this.#settings;
    if (req.headers.cookie === undefined || !sessions.isStored(req)) return;
    const cookie = sessions.cookieOf(req);
    sessions.readers.markStale(cookie);
    // A failed write has changed nothing, and without the database nobody could be looked up.
    res.once("close", () => res.statusCode !== 503 && sessions.readers.invalidate(cookie));
  }

  #isKeyKnown({ apiKey }: CacheLookup): boolean {
    return apiKey === undefined || this.#settings.keys.cached(apiKey) !== undefined;
  }

  /** Looks up what is not cached yet; resolves to true if the key is wrong. */
  async #prepare(asked: CacheLookup): Promise<boolean> {
    const { feed, keys } = this.#settings;
    const [owner] = await Promise.all([
      asked.apiKey === undefined || this.#isKeyKnown(asked) ? "known" : keys.find(asked.apiKey),
      feed.canAnswer ? undefined : feed.confirm(),
    ]);
    return owner === undefined;
  }

  #answer(asked: CacheLookup, exchange: Asking, waits = 0): void {
    // The client may have left while the request waited.
    if (exchange.res.closed) return;
    const answer = this.#memory.get(asked.key);
    const building = this.#building.get(asked.key);
    const { isSilent, ageS } = this.#settings.feed;
    if (answer && isSilent) this.#give(asked, exchange, answer, ageS);
    else if (answer && this.#isTrue(answer, building !== undefined)) this.#give(asked, exchange, answer);
    else if (building && waits < WAITS) {
      // If the result can't be shared, waiters build their own.
      void building
        .wait()
        .then(({ canShare }) => this.#answer(asked, exchange, canShare ? waits + 1 : WAITS));
    } else this.#build(asked, exchange);
  }

  /** True if a cached response is still valid. A response with a time is refreshed early. */
  #isTrue({ sources, states, isTimeSensitive, beganAt }: RememberedAnswer, isBuilding: boolean): boolean {
    const now = this.#states();
    if (!sources.every((source) => now?.[source] === states[source])) return false;
    const youngerThan = Math.min(isBuilding ? TIME_SHOWN_MS : RENEW_MS, this.#settings.feed.maxAgeMs);
    return !isTimeSensitive || performance.now() - beganAt < youngerThan;
  }

  #give(asked: CacheLookup, exchange: Asking, answer: RememberedAnswer, ageS?: number): void {
    const { session, apiKey, encoding } = asked;
    if (session) {
      this.#giveToReader(asked, session, exchange, answer, ageS);
      return;
    }
    if (apiKey !== undefined) this.#settings.keys.noteUse(apiKey);
    this.#noteGiven(exchange, answer);
    const how = { isPrivate: apiKey !== undefined, ageS };
    const form = (ageS !== undefined && answer.awayForm) || answer.form(encoding);
    if (form) sendCached(exchange, form, how);
    else void this.#addForm(asked, answer).then((added) => sendCached(exchange, added, how));
  }

  async #addForm({ key, encoding }: CacheLookup, answer: RememberedAnswer): Promise<AnswerForm> {
    const form = await answer.addForm(encoding);
    this.#memory.set(key, answer);
    return form;
  }

  /** Sends a logged-in user the shared response with their own parts filled in. */
  #giveToReader(
    asked: CacheLookup,
    session: LookupSession,
    exchange: Asking,
    answer: RememberedAnswer,
    ageS?: number,
  ): void {
    const { readers } = this.#settings.sessions;
    const marks = answer.personal?.favorites ?? [];
    const isKnown = session.reader?.knows(marks);
    const reader = isKnown ? session.reader : readers.cached(session.cookie, marks, ageS !== undefined);
    if (!reader) {
      readers.find(session.cookie, marks).then((found) => {
        if (!found) return exchange.pass();
        // The response may have become stale meanwhile.
        this.#answer({ ...asked, session: { ...session, reader: found } }, exchange);
      }, exchange.pass);
    } else if (!isFor(reader, session)) exchange.pass();
    else {
      this.#noteGiven(exchange, answer);
      if (answer.personal)
        void sendPersonalised(exchange, answer.fill(reader, asked.encoding, ageS !== undefined), ageS);
      else
        void this.#addForm(asked, answer).then((form) =>
          sendCached(exchange, form, { isPrivate: false, ageS }),
        );
    }
  }

  #noteGiven({ req }: Exchange, { route }: RememberedAnswer): void {
    noteRouteName(req, route);
    this.#given += 1;
  }

  /** Passes a request on, and caches the response. */
  #build(asked: CacheLookup, exchange: Asking): void {
    const { key, session } = asked;
    const { req, res } = exchange;
    const isWanted = this.#memory.wants(key);
    const states = this.#states();
    if (states !== undefined) {
      const mine = this.#begin(key);
      const answerScope = new AnswerScope({
        isWanted: () => (isWanted || mine.isAwaited) && isMadeFor(req, session),
        keep: (made) => {
          if (!isCovered(made.headers, asked.covers)) return mine.end({ canShare: false });
          const how = { beganAt: answerScope.beganAt, route: routeNameOf(req), states };
          this.#memory.set(key, new RememberedAnswer(made, how));
          mine.end({ canShare: true });
        },
        sendStale: () => {
          const isGiven = this.#giveOlder(asked, exchange);
          if (isGiven) mine.end({ canShare: true });
          return isGiven;
        },
      });
      // After a failure only the next request tries again, so that not all waiters try at once.
      res.once("close", () => mine.end({ canShare: !res.writableFinished || res.statusCode !== 200 }));
      attach(answerScope, exchange);
    }
    exchange.pass();
  }

  /**
   * Sends an older response, but never to logged-in users, whose data may have to be looked up. False if nothing was
   * sent.
   */
  #giveOlder(asked: CacheLookup, exchange: Asking): boolean {
    const answer = this.#memory.get(asked.key);
    const { res } = exchange;
    if (answer === undefined || asked.session !== undefined || res.headersSent) return false;
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    res.statusCode = 200;
    this.#give(asked, exchange, answer, this.#settings.feed.ageS);
    return true;
  }

  /** Lets other requests wait for a response. */
  #begin(key: string): InFlightAnswer {
    const building = new InFlightAnswer(() => {
      if (this.#building.get(key) === building) this.#building.delete(key);
    });
    if (!this.#building.has(key)) this.#building.set(key, building);
    return building;
  }

  #states(): Record<Source, unknown> | undefined {
    const { feed, epoch, siteEpoch } = this.#settings;
    const { versions } = feed;
    return versions && { ...versions, site: `${versions.site} ${siteEpoch()}`, search: epoch() };
  }
}

/** Attaches a scope, so that the request's queries see one state of the database. */
function attach(answerScope: AnswerScope, { req, res }: Exchange): void {
  onceClosed(res, () => answerScope.end());
  Object.assign(req, { answerScope } satisfies Pick<Request, "answerScope">);
}

/** Whether a response varies only by request headers that its key covers. */
function isCovered(headers: readonly Header[], covers: ReadonlySet<string>): boolean {
  const vary = headers.find(([name]) => name.toLowerCase() === "vary")?.[1] ?? "";
  return vary.split(",").every((name) => name.trim() === "" || covers.has(name.trim().toLowerCase()));
}

/** Whether the app saw the expected user, because the session may have ended or the user may have changed. */
function isMadeFor(req: IncomingMessage, session: LookupSession | undefined): boolean {
  if (session?.audience === undefined) return true;
  const { viewer } = req as Request;
  return viewer !== undefined && audienceOf(viewer) === session.audience;
}

/** Whether a logged-in user may get the shared response. */
function isFor(reader: KnownReader, { audience }: LookupSession): boolean {
  return audience === undefined || (audience === audienceOf(reader.user) && !reader.isDue);
}

/** How long requests wait for another request's response before they build their own. */
const WAIT_MS = 2_000;

/** A response that is being built. Few are waited for, so the first waiter creates the promise. */
class InFlightAnswer {
  readonly #onEnd: () => void;
  #ending: PromiseWithResolvers<{ canShare: boolean }> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  get isAwaited(): boolean {
    return this.#ending !== undefined;
  }

  /**
   * Resolves when it was built, has failed, or takes long. `canShare` is false for one that belongs to its requester.
   */
  wait(): Promise<{ canShare: boolean }> {
    this.#ending ??= Promise.withResolvers();
    this.#timer ??= setTimeout(() => this.#ending?.resolve({ canShare: true }), WAIT_MS);
    return this.#ending.promise;
  }

  end(how: { canShare: boolean }): void {
    clearTimeout(this.#timer);
    this.#onEnd();
    this.#ending?.resolve(how);
  }
}

/** One number for each recent key, at the index of its upper 16 bits. */
const SIGHTINGS = 1 << 16;
/** Many times the number of different autocomplete requests and pages of a busy day. */
const LIMITS = { entries: 20_000, bytes: 64 * 1024 * 1024 };

/** A cached value. Its `bytes` may grow after it was stored, because other encodings are added. */
interface Sized {
  readonly bytes: number;
}

/** A bounded cache that evicts the least recently used answers. */
export class AnswerMemory<Answer extends Sized> {
  readonly #answers: LRUCache<string, Answer>;
  readonly #sightings = new Uint32Array(SIGHTINGS);

  constructor(limits = LIMITS) {
    this.#answers = new LRUCache({
      max: limits.entries,
      maxSize: limits.bytes,
      sizeCalculation: ({ bytes }, key) => bytes + 2 * key.length + 1_000,
    });
  }

  /** Bytes of all answers, including an estimate for headers and the entry itself. */
  get bytes(): number {
    return this.#answers.calculatedSize;
  }

  get size(): number {
    return this.#answers.size;
  }

  get(key: string): Answer | undefined {
    return this.#answers.get(key);
  }

  /** Stores an answer, or the same one again once it has grown. */
  set(key: string, answer: Answer): void {
    // An LRUCache keeps the old size if a key gets the same value again.
    if (this.#answers.peek(key) === answer) this.#answers.delete(key);
    this.#answers.set(key, answer);
  }

  /** True from the second request for a key on (nearly always), because most queries never recur. */
  wants(key: string): boolean {
    const hash = computeHash(key);
    const slot = hash >>> 16;
    const isKnown = this.#sightings[slot] === hash;
    this.#sightings[slot] = hash;
    return isKnown;
  }
}

/** FNV-1a, of 16-bit units: http://www.isthe.com/chongo/tech/comp/fnv/ */
function computeHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
