import type { MadeAnswer, Source } from "./answer-build.ts";
import { bodyHeaders, compress, type Encoding, entityTag } from "./encoding.ts";
import type { Header } from "./headers.ts";
import { toPrivate } from "./send.ts";

/** Where the content of a page begins (views/layout/page.ejs). */
const CONTENT = /<main [^>]*>/;

/** One answer in one encoding, with the headers in the forms that Node sends fastest. */
export interface AnswerForm {
  readonly etag: string;
  /** Headers of a 304. */
  readonly headers: readonly Header[];
  /** Names and values of all headers in one list, for `writeHead`. */
  readonly head: readonly string[];
  /** Likewise for who sent a key: no shared cache may keep it. */
  readonly privateHead: readonly string[];
  readonly body: Buffer;
}

/** A remembered answer, in each encoding that was asked for. */
export class RememberedAnswer {
  readonly sources: readonly Source[];
  readonly showsTime: boolean;
  /** When its making began, by `performance.now()`. */
  readonly beganAt: number;
  /** The state of each source that it was made from. */
  readonly states: Readonly<Record<Source, unknown>>;
  readonly #headers: readonly Header[];
  readonly #plain: Buffer;
  readonly #digest: string;
  readonly #awayNote: string | undefined;
  #away: AnswerForm | undefined;
  readonly #forms = new Map<Encoding, AnswerForm>();
  readonly #making = new Map<Encoding, Promise<AnswerForm>>();

  constructor(made: MadeAnswer, { beganAt, states }: { beganAt: number; states: Record<Source, unknown> }) {
    this.sources = [...made.changesWith, "site"];
    this.showsTime = made.showsTime;
    this.beganAt = beganAt;
    this.states = states;
    this.#headers = made.headers;
    this.#digest = made.digest;
    this.#awayNote = made.awayNote;
    // Copies, because a small buffer would keep the larger one that it is part of.
    this.#plain = copy(made.plain);
    const { encoding, body } = made.encoded;
    this.#add(encoding, encoding === "identity" ? this.#plain : copy(body));
  }

  get bytes(): number {
    return [...this.#forms.values()].reduce(
      (sum, { body }) => sum + (body === this.#plain ? 0 : body.length),
      this.#plain.length,
    );
  }

  /** The answer in an encoding, if it has been asked for in it. */
  form(encoding: Encoding): AnswerForm | undefined {
    return this.#forms.get(encoding);
  }

  /** A page with figures while the database is away: it says of when they are. */
  get awayForm(): AnswerForm | undefined {
    if (this.#awayNote === undefined) return undefined;
    const noted = this.#plain.toString().replace(CONTENT, (start) => start + this.#awayNote);
    this.#away ??= this.#formOf(Buffer.from(noted), "identity", `${this.#digest}-away`);
    return this.#away;
  }

  /** Makes the answer in one more encoding, once for all who wait. */
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
    const etag = entityTag(digest, used);
    const headers = this.#headers.map(([name, value]): Header => [name, name === "ETag" ? etag : value]);
    const ofBody = bodyHeaders(body, used);
    return {
      etag,
      headers,
      head: [...headers, ...ofBody].flat(),
      privateHead: [...headers.map(asPrivate), ...ofBody].flat(),
      body,
    };
  }
}

function asPrivate([name, value]: Header): Header {
  return [name, name === "Cache-Control" ? toPrivate(value) : value];
}

function copy(body: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return own;
}
