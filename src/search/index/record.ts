/** What the index keeps of a record: all that a hit shows. */
export interface IndexedRecord {
  id: string;
  name: string;
  /** Locale to name. */
  names: Record<string, string>;
  category: string | null;
  /** An https address or a path of this site. */
  image: string | null;
  popularity: number | null;
}

/** Every different name of a record. */
export function namesOf({ name, names }: Pick<IndexedRecord, "name" | "names">): string[] {
  return [...new Set([name, ...Object.values(names)])];
}
