import type { Entry, KeptRevision } from "./entry-queries.ts";

/** The columns whose change is a revision, in the order shown. */
const FIELDS = [
  "name",
  "names",
  "category",
  "description",
  "descriptions",
  "image",
  "picture",
  "popularity",
  "attributes",
] as const;
type Field = (typeof FIELDS)[number];

/** One changed value; undefined and null mean no value before or after. */
export interface Change {
  field: Field;
  /** The locale or attribute, for the fields that hold several values. */
  key?: string;
  before: unknown;
  after: unknown;
}

export interface Revision {
  revision: number;
  changedAt: Date;
  changes: Change[];
}

/** The revisions of a record, newest first. A value's new state is what the next revision replaced, or the record's own. */
export function replayRevisions(entry: Pick<Entry, Field>, kept: readonly KeptRevision[]): Revision[] {
  let state: Record<Field, unknown> = entry;
  return kept.map(({ revision, changed_at, before }) => {
    const changes = FIELDS.filter((field) => Object.hasOwn(before, field)).flatMap((field) =>
      changesOf(field, before[field], state[field]),
    );
    state = goBack(state, before);
    return { revision, changedAt: changed_at, changes: withoutRepeats(changes) };
  });
}

function changesOf(field: Field, before: unknown, after: unknown): Change[] {
  if (!isKeyed(field)) return [{ field, before, after }];
  const [old, now] = [entriesOf(before), entriesOf(after)];
  return [...old.keys()].sort().map((key) => ({ field, key, before: old.get(key), after: now.get(key) }));
}

function goBack(state: Record<Field, unknown>, before: KeptRevision["before"]): Record<Field, unknown> {
  const earlier = { ...state, ...before };
  for (const field of FIELDS.filter(isKeyed)) {
    earlier[field] = Object.fromEntries([...entriesOf(state[field]), ...entriesOf(before[field])]);
  }
  return earlier;
}

/** The field of the main text, by that of its translations. */
const MAIN: Partial<Record<Field, Field>> = { names: "name", descriptions: "description" };

/** Leaves out a translation that changed exactly as the main text did. */
function withoutRepeats(changes: Change[]): Change[] {
  return changes.filter(({ field, before, after }) => {
    const main = changes.find((change) => change.field === MAIN[field]);
    return main === undefined || before !== main.before || after !== main.after;
  });
}

function isKeyed(field: Field): boolean {
  return field === "names" || field === "descriptions" || field === "attributes";
}

function entriesOf(value: unknown): Map<string, unknown> {
  return new Map(Object.entries(value ?? {}));
}
