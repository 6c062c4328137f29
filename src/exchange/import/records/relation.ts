import { z } from "zod";
import { type RelationKind, relationKind } from "../../../records/relations/kinds.ts";
import { quote, Refusal, readAmount, readId } from "../../../records/values.ts";
import { type EntityKind, singularOf, storedKinds } from "../../../words/kinds/kinds.ts";

/** A relation as its row, the id being what it is known by; `position` is given once all of the file is read. */
interface RelationRow extends Record<string, unknown> {
  id: string;
}

interface End {
  kind: EntityKind;
  id: string;
}

interface FieldError {
  field: string;
  reason: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Collects what is wrong with a record while the rest of it is read. */
type Refuse = (field: string, refusal: Refusal) => undefined;

/** The schema of a relation; its errors name the fields of the file. */
export const relation = z.record(z.string(), z.unknown()).transform((fields, context): RelationRow => {
  const { row, errors } = readRelation(fields);
  if (row) return row;
  for (const { field, reason } of errors) {
    context.addIssue({ code: "custom", path: [field], message: reason });
  }
  return z.NEVER;
});

/** What a relation is known by, also where the rest of it is wrong; undefined where it does not tell. */
export function relationId(fields: Fields): string | undefined {
  return readKey(fields, () => undefined)?.id;
}

function readRelation(fields: Fields): { row: RelationRow | undefined; errors: FieldError[] } {
  const errors: FieldError[] = [];
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
    if (isTwice) return refuse(name, new Refusal(`is there, and ${name}_kind or ${name}_id too`));
    const end = readWholeEnd(whole);
    return end instanceof Refusal ? refuse(name, end) : end;
  }
  if (kind === null && id === null) return refuse(name, new Refusal("is missing"));
  const meant = kind === null ? new Refusal("is missing") : readEntityKind(kind);
  const read = id === null ? new Refusal("is missing") : readId(id);
  if (meant instanceof Refusal) refuse(`${name}_kind`, meant);
  if (read instanceof Refusal) refuse(`${name}_id`, read);
  return meant instanceof Refusal || read instanceof Refusal ? undefined : { kind: meant, id: read };
}

function readWholeEnd(value: unknown): End | Refusal {
  const [, word, rest] = typeof value === "string" ? (/^([^:]*):(.*)$/su.exec(value) ?? []) : [];
  if (word === undefined)
    return new Refusal(`must be a kind and an id such as item:ak47, not ${quote(value)}`);
  const kind = readEntityKind(word);
  if (kind instanceof Refusal) return new Refusal(`its kind ${kind.reason}`);
  const id = readId(rest);
  return id instanceof Refusal ? new Refusal(`its id ${id.reason}`) : { kind, id };
}

function readKind(value: unknown, refuse: Refuse): RelationKind | undefined {
  if (value === undefined || value === null) return refuse("kind", new Refusal("is missing"));
  const kind = typeof value === "string" ? relationKind(value) : undefined;
  if (kind) return kind;
  const reason = `must be words of up to 60 letters and digits such as made-of, not ${quote(value)}`;
  return refuse("kind", new Refusal(reason));
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
  return new Refusal(`must be a number above 0, at most ${LARGEST_NUMBER_OF}, not ${quote(value)}`);
}

function readChance(value: unknown): number | Refusal {
  const number = readAmount(value);
  if (typeof number === "number" && number <= 1) return number;
  return new Refusal(`must be a share from 0 to 1 such as 0.12, not ${quote(value)}`);
}

/** The kind of an entry by its noun in the singular or the plural. */
export function readEntityKind(value: unknown): EntityKind | Refusal {
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  const meant = storedKinds().find((kind) => kind === word || singularOf(kind) === word);
  const known = storedKinds().map(singularOf).join(", ");
  return meant ? singularOf(meant) : new Refusal(`must be one of ${known}, not ${quote(value)}`);
}
