import type { Header } from "../server/headers.ts";
import type { MadeAnswer, Source } from "./answer-scope.ts";
import {
  bodyHeaders,
  compress,
  computeDigest,
  type Encoding,
  entityTag,
  isWorthCompressing,
} from "./encoding.ts";
import type { PageUser, PersonalPage } from "./personal-parts.ts";

/** The start of a page's content (views/web/layout/page.ejs). */
const CONTENT = /<main [^>]*>/;

/** The validators of a response, for conditional requests (RFC 9110, section 8.8). */
export type Validators = Record<"etag" | "last-modified", string | undefined>;

export function readValidators(headers: readonly Header[]): Validators {
  const find = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  return { etag: find("etag"), "last-modified": find("last-modified") };
}

/** A response in one encoding, with names and values of headers in one list, which Node sends fastest. */
export interface AnswerForm {
  readonly validators: Validators;
  /** All but those of the body, as a 304 has them. */
  readonly headers: readonly string[];
  readonly bodyHeaders: readonly string[];
  readonly body: Buffer;
}

/** A personal response. Its headers have the entity tag of the encoding, but it is not compressed yet. */
export interface FilledAnswer {
  readonly headers: readonly Header[];
  readonly plain: Buffer;
  readonly encoding: Encoding;
}

/** A cached response in each requested encoding; a personal one is filled in for each user. */
export class RememberedAnswer {
  readonly sources: readonly Source[];
  readonly isTimeSensitive: boolean;
  /** When its build began, by `performance.now()`. */
  readonly beganAt: number;
  /** See `routeNameOf`. */
  readonly route: string;
  /** The state of each source at the build. */
  readonly states: Readonly<Record<Source, unknown>>;
  /** The parts to fill in on a logged-in user's page. */
  readonly personal: PersonalPage | undefined;
  readonly #headers: readonly Header[];
  readonly #plain: Buffer;
  readonly #digest: string;
  readonly #awayNote: string | undefined;
  #away: AnswerForm | undefined;
  readonly #forms = new Map<Encoding, AnswerForm>();
  readonly #making = new Map<Encoding, Promise<AnswerForm>>();

  constructor(
    made: MadeAnswer,
    { beganAt, route, states }: Pick<RememberedAnswer, "beganAt" | "route" | "states">,
  ) {
    this.sources = [...made.dependsOn, "site"];
    this.isTimeSensitive = made.isTimeSensitive;
    this.beganAt = beganAt;
    this.route = route;
    this.states = states;
    this.#headers = made.headers;
    this.#digest = made.digest;
    this.#awayNote = made.awayNote;
    this.personal = made.personal;
    // Copies, because a small buffer would keep the larger one that it is part of.
    this.#plain = made.personal ? Buffer.from(made.personal.rendered) : copy(made.plain);
    const { encoding, body } = made.encoded;
    if (!made.personal) this.#add(encoding, encoding === "identity" ? this.#plain : copy(body));
  }

  get bytes(): number {
    return [...this.#forms.values()].reduce(
      (sum, { body }) => sum + (body === this.#plain ? 0 : body.length),
      this.#plain.length,
    );
  }

  /** Fills in a page for one user; `isDown` adds the note of `awayForm`. */
  fill(reader: PageUser, encoding: Encoding, isDown: boolean): FilledAnswer {
    const page = this.personal?.fill(reader) ?? "";
    const plain = Buffer.from(isDown ? this.#withNote(page) : page);
    const used = isWorthCompressing(plain) ? encoding : "identity";
    return { headers: this.#headersWith(entityTag(computeDigest(plain), used)), plain, encoding: used };
  }

  /** The response in an encoding, if that has been requested before. */
  form(encoding: Encoding): AnswerForm | undefined {
    return this.#forms.get(encoding);
  }

  /** A page with figures while the database is down: a note shows their age. */
  get awayForm(): AnswerForm | undefined {
    if (this.#awayNote === undefined) return undefined;
    const noted = this.#withNote(this.#plain.toString());
    this.#away ??= this.#formOf(Buffer.from(noted), "identity", `${this.#digest}-away`);
    return this.#away;
  }

  #withNote(page: string): string {
    return page.replace(CONTENT, (start) => start + (this.#awayNote ?? ""));
  }

  #headersWith(etag: string): Header[] {
    return this.#headers.map(([name, value]) => [name, name === "ETag" ? etag : value]);
  }

  /** Adds an encoding to the response, once for all waiting requests. */
  async addForm(encoding: Encoding): Promise<AnswerForm> {
    const making = this.#making.get(encoding) ?? this.#compress(encoding);
    this.#making.set(encoding, making);
    return making;
  }

  async #compress(encoding: Encoding): Promise<AnswerForm> {
    const { encoding: used, body } = await compress(this.#plain, encoding);
    return this.#add(encoding, body, used);
  }

  #add(encoding: Encoding, body: Buffer, used = encoding): AnswerForm {
    const form = this.#formOf(body, used);
    this.#forms.set(encoding, form);
    return form;
  }

  #formOf(body: Buffer, used: Encoding, digest = this.#digest): AnswerForm {
    const headers = this.#headersWith(entityTag(digest, used));
    return {
      validators: readValidators(headers),
      headers: headers.flat(),
      bodyHeaders: bodyHeaders(body, used).flat(),
      body,
    };
  }
}

function copy(body: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return own;
}
