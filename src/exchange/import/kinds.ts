import {
  BUILT_IN_KINDS,
  type CatalogueKind,
  has,
  isCatalogueKind,
  singularOf,
  storedKinds,
} from "../../words/kinds/kinds.ts";

const OTHER_KINDS = ["servers", "donate-items", "discounts", "relations"] as const;
type OtherKind = (typeof OTHER_KINDS)[number];

export type ImportKind = CatalogueKind | OtherKind;

/** What every site can import; kinds that others refer to come first. */
export const BUILT_IN_IMPORTS: readonly ImportKind[] = [...BUILT_IN_KINDS, ...OTHER_KINDS];

/** What can be imported, as the command names it. */
export function importKinds(): ImportKind[] {
  return [...storedKinds(), ...OTHER_KINDS];
}

/** How a kind is stored. The names of columns are also those of the fields of an import. */
export interface KindDefinition {
  readonly table: string;
  /** Columns with their SQL type whose change makes a new revision, without `id`. */
  readonly content: Readonly<Record<string, string>>;
  /** The fields of an import where they are not the columns: what the id and others are made of. */
  readonly fields?: readonly string[];
  /** Where an error of the id is reported; `id` unless said. */
  readonly idField?: string;
  /** SQL: the label of a row (`r`) in a dry run, beside its id; by default its name. */
  readonly label?: string;
  /** Content that every file sets, with or without values, as it only makes sense together. */
  readonly whole?: readonly string[];
  /** Content that a file sets together as soon as it has one of them. */
  readonly together?: readonly string[];
  /** The current state of a server: measurements, which make no new revision. */
  readonly state?: Readonly<Record<string, string>>;
  /**
   * Tables whose rows are deleted with a row, and their columns that refer to it, parents first. Summaries count the
   * rows with a name. Triggers make `isMade` rows together with the row.
   */
  readonly dependents?: readonly {
    readonly what?: "favorites" | "discounts";
    readonly table: string;
    readonly column: string;
    readonly isMade?: true;
  }[];
}

const CATALOGUE = {
  name: "text",
  names: "jsonb",
  category: "text",
  description: "text",
  descriptions: "jsonb",
  image: "text",
  attributes: "jsonb",
  picture: "text",
  popularity: "double precision",
};

const { popularity: _, ...SHOP } = CATALOGUE;

const OTHER_TABLES: Readonly<Record<OtherKind, KindDefinition>> = {
  servers: {
    table: "servers",
    content: {
      name: "text",
      game: "text",
      address: "text",
      url: "text",
      language: "text",
      description: "text",
      descriptions: "jsonb",
      attributes: "jsonb",
      position: "integer",
      group_name: "text",
      adapter: "text",
      adapter_options: "jsonb",
    },
    state: {
      online: "integer",
      queue: "integer",
      max_online: "integer",
      status: "text",
      checked_at: "timestamptz",
    },
    dependents: [
      { what: "favorites", table: "server_favorites", column: "server_id" },
      { table: "server_alerts", column: "server_id" },
    ],
  },
  "donate-items": {
    table: "donate_items",
    content: {
      ...SHOP,
      price: "numeric",
      currency: "text",
      entity_kind: "text",
      entity_id: 'text collate "C"',
    },
    together: ["entity_kind", "entity_id"],
    dependents: [
      { what: "favorites", table: "donate_favorites", column: "item_key" },
      { what: "discounts", table: "discounts", column: "item_key" },
      { table: "price_versions", column: "item_key", isMade: true },
      { table: "discount_versions", column: "item_key", isMade: true },
    ],
  },
  discounts: {
    table: "discounts",
    content: {
      item_key: 'text collate "C"',
      title: "text",
      titles: "jsonb",
      percent: "numeric",
      price: "numeric",
      starts_at: "timestamptz",
      ends_at: "timestamptz",
      announced: "boolean",
    },
    label: "coalesce(r.title, r.item_key)",
    whole: ["percent", "price", "starts_at", "ends_at"],
  },
  relations: {
    table: "relations",
    content: {
      from_kind: "text",
      from_id: 'text collate "C"',
      kind: 'text collate "C"',
      to_kind: "text",
      to_id: 'text collate "C"',
      count: "numeric",
      chance: "numeric",
      position: "integer",
    },
    fields: ["from", "from_kind", "from_id", "kind", "to", "to_kind", "to_id", "count", "chance"],
    idField: "from, kind, to",
    label: "concat_ws(', ', '×' || trim_scale(r.count), trim_scale(r.chance * 100) || '%')",
    whole: ["from_kind", "from_id", "kind", "to_kind", "to_id", "position"],
  },
};

/** The fields that an import of a kind can fill, `id` first where the kind has one. Pictures come from files beside the records. */
export function fieldsOf(kind: ImportKind): readonly string[] {
  const { content, fields, state } = definitionOf(kind);
  if (fields) return fields;
  const columns = Object.keys({ ...content, ...state }).filter((field) => field !== "picture");
  // What categories are called in other languages is stored once for all records.
  const hasCategories = columns.includes("category");
  return [
    "id",
    ...columns.flatMap((field) =>
      field === "descriptions" && hasCategories ? ["categories", field] : [field],
    ),
  ];
}

/** How the records of a kind are stored. */
export function definitionOf(kind: ImportKind): KindDefinition {
  return isCatalogueKind(kind) ? entriesOf(kind) : OTHER_TABLES[kind];
}

function entriesOf(kind: CatalogueKind): KindDefinition {
  const favorites = {
    what: "favorites",
    table: "entity_favorites",
    column: `${singularOf(kind)}_id`,
  } as const;
  return { table: kind, content: CATALOGUE, dependents: has(kind, "isFavorite") ? [favorites] : [] };
}
