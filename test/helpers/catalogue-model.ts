/** A field that a model's record has, and that can be locked. */
export type Field = "name" | "image";
export const FIELDS: readonly Field[] = ["name", "image"];

interface State {
  readonly name: string;
  readonly image: string | null;
  readonly locked: readonly Field[];
  /** When the locks were changed last; 0: never. */
  readonly lockedAt: number;
}

/** `stamp` differs after each write. */
type ModelRecord = State & { readonly stamp: number };
/** A star's user, and which of the user's stars it is. */
type Star = readonly [user: number, stamp: number];
type Action = "added" | "changed" | "removed" | "kept";

interface Change {
  readonly action: Action;
  readonly before: State | undefined;
  readonly stamp: number | undefined;
  readonly stars: readonly Star[];
  readonly owner: string | undefined;
  readonly newOwner: string | undefined;
}

interface Merge {
  readonly from: string;
  readonly into: string;
  /** What was moved; undefined: the import undid the merge. */
  readonly moved?: { readonly stars: readonly Star[]; readonly relations: readonly string[] };
}

type Planned = readonly [id: string, change: Change, action: Action];
export type ImportFile = ReadonlyMap<string, Readonly<Record<Field, string>>>;

/** What the site has to do with imports, edits, locks, merges and undos, on maps instead of tables. */
export class Model {
  readonly records = new Map<string, ModelRecord>();
  readonly owners = new Map<string, string>();
  /** By id: its stars by user. */
  readonly stars = new Map<string, Map<number, number>>();
  /** Removed records: the imports that removed them (0: a write of the API did), and what they were merged into. */
  readonly graves = new Map<string, { readonly by: number; readonly into?: string }>();
  /** Such as `a>b`. */
  readonly relations = new Set<string>();
  readonly imports = new Map<number, Map<string, Change>>();
  readonly #merges = new Map<number, Merge>();
  readonly #undone = new Set<number>();
  #stamp = 0;

  /** Writes one field by hand, locked or not. */
  put(id: string, name: string): void {
    if (this.graves.get(id)?.into !== undefined) return;
    const known = this.records.get(id) ?? { image: null, locked: [], lockedAt: 0, name: undefined };
    if (known.name !== name) this.#write(id, { ...known, name });
  }

  remove(id: string, by: number, into?: string): void {
    if (this.records.delete(id)) this.graves.set(id, { by, ...(into !== undefined && { into }) });
    this.stars.delete(id);
  }

  star(id: string, user: number): void {
    if (!this.#starsOf(id).has(user)) this.#starsOf(id).set(user, ++this.#stamp);
  }

  lock(id: string, locked: readonly Field[]): void {
    const known = this.records.get(id);
    if (known) this.records.set(id, { ...known, locked, lockedAt: ++this.#stamp });
  }

  relate(from: string, to: string): void {
    const [left, right] = [this.leftOf(from), this.leftOf(to)];
    if (left !== right) this.relations.add(`${left}>${right}`);
  }

  /** The record that one was merged into, in the end; else the id itself. */
  leftOf(id: string): string {
    const into = this.graves.get(id)?.into;
    return into === undefined ? id : this.leftOf(into);
  }

  import(number: number, file: ImportFile, source: string | undefined, prune: boolean): void {
    const changes = new Map<string, Change>();
    const isGone = (id: string, { locked }: ModelRecord) =>
      !file.has(id) && locked.length === 0 && (source === undefined || this.owners.get(id) === source);
    const gone = [...this.records].filter(([id, record]) => isGone(id, record)).map(([id]) => id);
    for (const id of prune ? gone : []) {
      changes.set(id, this.#change(id, "removed", this.owners.get(id)));
      this.remove(id, number);
    }
    for (const [id, fields] of file) {
      if (this.graves.get(id)?.into !== undefined) continue;
      const known = this.records.get(id);
      const state = known ? withoutLocked(known, fields) : { ...fields, locked: [], lockedAt: 0 };
      const isSame = FIELDS.every((field) => known?.[field] === state[field]);
      const action = known === undefined ? "added" : isSame ? "kept" : "changed";
      const change = this.#change(id, action, source);
      if (action !== "kept") this.#write(id, state);
      if (action !== "kept" || this.owners.get(id) !== source)
        changes.set(id, { ...change, stamp: this.records.get(id)?.stamp });
      this.#own(id, source);
    }
    this.imports.set(number, changes);
  }

  canMerge(from: string, into: string): boolean {
    return this.records.has(from) && this.records.has(this.leftOf(into)) && this.leftOf(into) !== from;
  }

  merge(number: number, from: string, wanted: string): void {
    const into = this.leftOf(wanted);
    const changes = [from, into].map((id) =>
      this.#change(id, id === from ? "removed" : "changed", this.owners.get(id)),
    );
    const moved = this.#move(from, into);
    const [source, target] = [this.records.get(from), this.records.get(into)];
    if (target) this.#write(into, { ...target, image: target.image ?? source?.image ?? null });
    this.remove(from, number, into);
    const [removed, changed] = changes as [Change, Change];
    const stamp = this.records.get(into)?.stamp;
    this.imports.set(
      number,
      new Map([
        [from, removed],
        [into, { ...changed, stamp }],
      ]),
    );
    this.#merges.set(number, { from, into, moved });
  }

  /** What an undo puts back; undefined: nothing, so it is refused. */
  plan(undone: number, alsoTouched: boolean): readonly Planned[] | undefined {
    if (this.#undone.has(undone)) return undefined;
    const planned = [...(this.imports.get(undone) ?? [])].flatMap(([id, change]): Planned[] => {
      const action = this.#inverse(id, change, undone);
      const isLeft = action === undefined || (this.#isTouched(id, change, undone) && !alsoTouched);
      return isLeft ? [] : [[id, change, action]];
    });
    const merge = this.#merges.get(undone);
    const isMerge = merge !== undefined && planned.some(([id]) => id === merge.from);
    if (isMerge && !this.records.has(merge.into)) return undefined;
    return planned.length > 0 ? planned : undefined;
  }

  undo(undone: number, number: number, planned: readonly Planned[]): void {
    const merge = this.#merges.get(undone);
    const ofMerge = planned.find(([id]) => id === merge?.from)?.[2];
    const changes = new Map(planned.map(([id, was, action]) => [id, this.#change(id, action, was.owner)]));
    if (merge && ofMerge === "removed") {
      this.#merges.set(number, { ...merge, moved: this.#move(merge.from, merge.into) });
      this.remove(merge.from, number, merge.into);
    }
    for (const [id, was, action] of planned) {
      if (action === "removed") this.remove(id, number);
      const now = this.records.get(id);
      // An undo writes a new revision even where the values are the same.
      if (action === "changed" && was.before) this.#write(id, { ...was.before, ...(now && locksOf(now)) });
      if (action === "added" && was.before) this.#write(id, was.before);
      if (action === "added") for (const star of was.stars) this.#starsOf(id).set(...star);
      this.#own(id, was.owner);
      const stamp = action === "removed" ? undefined : this.records.get(id)?.stamp;
      changes.set(id, { ...(changes.get(id) as Change), stamp });
    }
    if (merge?.moved && ofMerge === "added") {
      this.#moveBack(merge.into, merge.moved);
      this.#merges.set(number, { from: merge.from, into: merge.into });
    }
    this.#undone.add(undone);
    this.imports.set(number, changes);
  }

  #isTouched(id: string, change: Change, number: number): boolean {
    const known = this.records.get(id);
    if (change.action === "kept") return false;
    if (change.action === "removed") return known !== undefined || this.graves.get(id)?.by !== number;
    const isLocked = (known?.lockedAt ?? 0) > (change.stamp ?? 0);
    return known?.stamp !== change.stamp || isLocked || this.owners.get(id) !== change.newOwner;
  }

  #inverse(id: string, change: Change, undone: number): Action | undefined {
    const grave = this.graves.get(id);
    if (grave?.into !== undefined && grave.by !== undone) return undefined;
    if (change.action === "kept") return this.owners.get(id) === change.newOwner ? "kept" : undefined;
    const isThere = this.records.has(id);
    if (change.before === undefined) return isThere ? "removed" : undefined;
    return isThere ? "changed" : "added";
  }

  #change(id: string, action: Action, newOwner: string | undefined): Change {
    return {
      action,
      before: action === "changed" || action === "removed" ? this.records.get(id) : undefined,
      stamp: undefined,
      stars: action === "removed" ? [...this.#starsOf(id)] : [],
      owner: this.owners.get(id),
      newOwner,
    };
  }

  #move(from: string, into: string): NonNullable<Merge["moved"]> {
    const stars = [...this.#starsOf(from)].filter(([user]) => !this.#starsOf(into).has(user));
    for (const star of stars) this.#starsOf(into).set(...star);
    const ends = [...this.relations].map((relation) => relation.split(">"));
    const relations = ends
      .filter((pair) => pair.includes(from))
      .map((pair) => pair.map((end) => (end === from ? into : end)))
      .filter(([left, right]) => left !== right)
      .map((pair) => pair.join(">"))
      .filter((relation) => !this.relations.has(relation));
    for (const relation of relations) this.relations.add(relation);
    return { stars, relations };
  }

  #moveBack(into: string, { stars, relations }: NonNullable<Merge["moved"]>): void {
    for (const [user, stamp] of stars)
      if (this.#starsOf(into).get(user) === stamp) this.#starsOf(into).delete(user);
    for (const relation of relations) this.relations.delete(relation);
  }

  #write(id: string, state: State): void {
    this.records.set(id, { ...state, stamp: ++this.#stamp });
    this.graves.delete(id);
  }

  #starsOf(id: string): Map<number, number> {
    const stars = this.stars.get(id) ?? new Map<number, number>();
    this.stars.set(id, stars);
    return stars;
  }

  #own(id: string, source: string | undefined): void {
    if (source === undefined) this.owners.delete(id);
    else this.owners.set(id, source);
  }
}

function locksOf({ locked, lockedAt }: State): Pick<State, "locked" | "lockedAt"> {
  return { locked, lockedAt };
}

function withoutLocked(known: ModelRecord, fields: Readonly<Record<Field, string>>): State {
  const kept = FIELDS.filter((field) => known.locked.includes(field)).map((field) => [field, known[field]]);
  return { ...known, ...fields, ...Object.fromEntries(kept) };
}
