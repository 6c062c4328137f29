import type { Entry } from "./entry-queries.ts";

/** The columns whose change is a revision, in the order in which changes are told. */
const FIELDS = ["name", "names", "category", "description", "image", "popularity", "attributes"] as const;
type Field = (typeof FIELDS)[number];

/** A revision as the database keeps it: what it replaced. Of `names` and `attributes` the keys that changed. */
export interface KeptRevision {
  revision: number;
  changed_at: Date;
  before: Partial<Record<Field, unknown>>;
}

/** One value that was another one. `undefined` and null: there was none, or is none any more. */
export interface Change {
  field: Field;
  /** The locale or the attribute, of the two fields that hold several. */
  key?: string;
  before: unknown;
  after: unknown;
}

/** A revision with all that it changed. */
export interface Revision {
  revision: number;
  changedAt: Date;
  changes: Change[];
}

/**
 * The history of a record from what its revisions replaced, the newest first: what a value became is what the next newer
 * revision replaced, or what the record holds now.
 */
export function replayRevisions(entry: Pick<Entry, Field>, kept: readonly KeptRevision[]): Revision[] {
  let state: Record<Field, unknown> = entry;
  return kept.map(({ revision, changed_at, before }) => {
    const changes = FIELDS.filter((field) => Object.hasOwn(before, field)).flatMap((field) =>
      changesOf(field, before[field], state[field]),
    );
    state = goBack(state, before);
    return { revision, changedAt: changed_at, changes: withoutEchoes(changes) };
  });
}

function changesOf(field: Field, before: unknown, after: unknown): Change[] {
  if (!isKeyed(field)) return [{ field, before, after }];
  const [old, now] = [entriesOf(before), entriesOf(after)];
  return [...old.keys()].sort().map((key) => ({ field, key, before: old.get(key), after: now.get(key) }));
}

/** The record as it was before a revision. */
function goBack(state: Record<Field, unknown>, before: KeptRevision["before"]): Record<Field, unknown> {
  const earlier = { ...state, ...before };
  for (const field of FIELDS.filter(isKeyed)) {
    earlier[field] = Object.fromEntries([...entriesOf(state[field]), ...entriesOf(before[field])]);
  }
  return earlier;
}

/** A name in a language that followed the main one tells nothing new. */
function withoutEchoes(changes: Change[]): Change[] {
  const main = changes.find(({ field }) => field === "name");
  return changes.filter(
    ({ field, before, after }) => field !== "names" || before !== main?.before || after !== main?.after,
  );
}

function isKeyed(field: Field): boolean {
  return field === "names" || field === "attributes";
}

function entriesOf(value: unknown): Map<string, unknown> {
  return new Map(Object.entries(value ?? {}));
}
