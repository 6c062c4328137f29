import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import { isHidden } from "../words/kinds/hidden-sections.ts";
import { catalogueKinds } from "../words/kinds/kinds.ts";

/** Sections of the site in addition to the kinds, by their tables. */
const SECTION_TABLES = { servers: "servers", shop: "donate_items" } as const;
const ALWAYS_THERE = new Set(["pages", "nicknames"]);

/** A kind, `servers`, `shop`, its `discounts`, or `pages` and `nicknames`, which need no records. */
type Section = string;

/**
 * The sections that have something to show and are not switched off. A game of items alone has no use for links to
 * empty lists of houses and servers; only a site before its first import shows them all.
 */
export class NonEmptySections {
  #filled: ReadonlySet<Section> = new Set();
  #version = 0;

  /** A number that changes with the answers of `has`. */
  get version(): number {
    return this.#version;
  }

  /** Whether readers should be led to a section. */
  has(section: Section): boolean {
    if (isHidden(section)) return false;
    if (section === "discounts") return this.has("shop");
    return this.#filled.size === 0 || ALWAYS_THERE.has(section) || this.#filled.has(section);
  }

  /** Looks which sections have records now. */
  async follow(db: Db): Promise<void> {
    const filled = await findFilled(db);
    if (filled.length === this.#filled.size && filled.every((section) => this.#filled.has(section))) return;
    this.#filled = new Set(filled);
    this.#version++;
  }
}

async function findFilled(db: Db): Promise<Section[]> {
  const tables = { ...Object.fromEntries(catalogueKinds().map((kind) => [kind, kind])), ...SECTION_TABLES };
  const each = Object.entries(tables);
  const rows = await selectRows<{ section: Section }>(
    db,
    each.map(() => "select ?::text as section where exists (select from ??)").join(" union all "),
    each.flat(),
  );
  return rows.map(({ section }) => section);
}
