import { z } from "zod";
import { type RelationKind, relationKind } from "../../../records/relations/kinds.ts";
import { quote, Refusal, readAmount, readId } from "../../../records/values.ts";
import type { LazyText } from "../../../words/i18n/lazy-text.ts";
import { type EntityKind, singularOf, storedKinds } from "../../../words/kinds/kinds.ts";

/** A relation as its row, the id being what it is known by; `position` is given once all of the file is read. */
interface RelationRow extends Record<string, unknown> {
  id: string;
}

interface End {
  kind: EntityKind;
  id: string;
}

interface RefusedField {
  readonly field: string;
  readonly reason: LazyText;
}

type Fields = Readonly<Record<string, unknown>>;

/** Collects what is wrong with a record while the rest of it is read. */
type Refuse = (field: string, refusal: Refusal) => undefined;

/** The schema of a relation; its errors name the fields of the file. */
export const relation = z.record(z.string(), z.unknown()).transform((fields, context): RelationRow => {
  const { row, errors } = readRelation(fields);
  if (row) return row;
  for (const { field, reason } of errors) {
    context.addIssue({ code: "custom", path: [field], message: JSON.stringify(reason) });
  }
  return z.NEVER;
});

/** What a relation is known by, also where the rest of it is wrong; undefined where it does not tell. */
export function relationId(fields: Fields): string | undefined {
  return readKey(fields, () => undefined)?.id;
}

function readRelation(fields: Fields): { row: RelationRow | undefined; errors: RefusedField[] } {
  const errors: RefusedField[] = [];
  const refuse: Refuse = (field, { reason }) => void errors.push({ field, reason });
  const key = readKey(fields, refuse);
  const count = readOptional(fields, "count", readNumberOf, refuse);
  const chance = readOptional(fields, "chance", readChance, refuse);
  return { row: key && errors.length === 0 ? { ...key, count, chance, position: 1 } : undefined, errors };
}

/** The two ends and the kind in their stored order, for either direction in the file. */
function readKey(fields: Fields, refuse: Refuse) {
  const [first, second] = [readEnd(fields, "from", refuse), readEnd(fields, "to", refuse)];
  const kind = readKind(fields.kind, refuse);
  if (!first || !second || !kind) return undefined;
  const [from, to] = kind.isReversed ? [second, first] : [first, second];
  return {
    id: [nameOf(from), kind.kind, nameOf(to)].join(" "),
    from_kind: from.kind,
    from_id: from.id,
    kind: kind.kind,
    to_kind: to.kind,
    to_id: to.id,
  };
}

/** `item:ak47`; spaces of the id are escaped, as they stand between the parts of what a relation is known by. */
function nameOf({ kind, id }: End): string {
  return `${kind}:${id.replace(/[% ]/g, (character) => encodeURIComponent(character))}`;
}

/** An end: `from` as `item:ak47`, or `from_kind` and `from_id`. */
function readEnd(fields: Fields, name: "from" | "to", refuse: Refuse): End | undefined {
  const [whole, kind, id] = [fields[name], fields[`${name}_kind`], fields[`${name}_id`]].map(
    (value) => value ?? null,
  );
  if (whole !== null) {
    const isTwice = kind !== null || id !== null;
    if (isTwice) return refuse(name, new Refusal("refusals.twice", { name }));
    const end = readWholeEnd(whole);
    return end instanceof Refusal ? refuse(name, end) : end;
  }
  if (kind === null && id === null) return refuse(name, new Refusal("refusals.missing"));
  const meant = kind === null ? new Refusal("refusals.missing") : readEntityKind(kind);
  const read = id === null ? new Refusal("refusals.missing") : readId(id);
  if (meant instanceof Refusal) refuse(`${name}_kind`, meant);
  if (read instanceof Refusal) refuse(`${name}_id`, read);
  return meant instanceof Refusal || read instanceof Refusal ? undefined : { kind: meant, id: read };
}

function readWholeEnd(value: unknown): End | Refusal {
  const [, word, rest] = typeof value === "string" ? (/^([^:]*):(.*)$/su.exec(value) ?? []) : [];
  if (word === undefined) return new Refusal("refusals.end", { value: quote(value) });
  const kind = readEntityKind(word);
  if (kind instanceof Refusal) return new Refusal("refusals.end_kind", { reason: kind.reason });
  const id = readId(rest);
  return id instanceof Refusal ? new Refusal("refusals.end_id", { reason: id.reason }) : { kind, id };
}

function readKind(value: unknown, refuse: Refuse): RelationKind | undefined {
  if (value === undefined || value === null) return refuse("kind", new Refusal("refusals.missing"));
  const kind = typeof value === "string" ? relationKind(value) : undefined;
  if (kind) return kind;
  return refuse("kind", new Refusal("refusals.relation", { value: quote(value) }));
}

function readOptional(
  fields: Fields,
  name: string,
  read: (value: unknown) => number | Refusal,
  refuse: Refuse,
): number | null | undefined {
  const value = fields[name] ?? null;
  if (value === null) return null;
  const number = read(value);
  return number instanceof Refusal ? refuse(name, number) : number;
}

const LARGEST_NUMBER_OF = 1e12;

function readNumberOf(value: unknown): number | Refusal {
  const number = readAmount(value);
  if (typeof number === "number" && number > 0 && number <= LARGEST_NUMBER_OF) return number;
  return new Refusal("refusals.above", { max: LARGEST_NUMBER_OF, value: quote(value) });
}

function readChance(value: unknown): number | Refusal {
  const number = readAmount(value);
  if (typeof number === "number" && number <= 1) return number;
  return new Refusal("refusals.share", { value: quote(value) });
}

/** The kind of an entry by its noun in the singular or the plural. */
export function readEntityKind(value: unknown): EntityKind | Refusal {
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  const meant = storedKinds().find((kind) => kind === word || singularOf(kind) === word);
  const known = storedKinds().map(singularOf).join(", ");
  return meant ? singularOf(meant) : new Refusal("refusals.one_of", { known, value: quote(value) });
}
