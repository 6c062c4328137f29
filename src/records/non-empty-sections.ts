import type { Versions } from "../db/change-feed.ts";
import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import { isHidden } from "../words/kinds/hidden-sections.ts";
import { storedKinds } from "../words/kinds/kinds.ts";
import { hasDemoRecords } from "./demo-records.ts";

/** Sections of the site in addition to the kinds, by their tables. */
const SECTION_TABLES = { servers: "servers", shop: "donate_items" } as const;
/** The sources of records, including the demo's. */
const FOLLOWED = ["catalogue", "relations", "servers", "shop", "site"] as const;
const ALWAYS_THERE = new Set(["pages", "nicknames"]);

/** A kind, `servers`, `shop`, its `discounts`, or `pages` and `nicknames`, which need no records. */
type Section = string;

/**
 * The sections that have content and are not switched off, and whether any of it is the demo's. A game with only items
 * needs no links to empty lists of houses and servers. Only a site before its first import shows them all.
 */
export class NonEmptySections {
  #filled: ReadonlySet<Section> = new Set();
  #isDemo = false;
  #version = 0;
  /** The versions at the last look. */
  #followed: Versions | undefined;

  /** A number that changes with the results of `has` and `isDemo`. */
  get version(): number {
    return this.#version;
  }

  /** Whether there are demo records. */
  get isDemo(): boolean {
    return this.#isDemo;
  }

  /** Whether pages should link to a section. */
  has(section: Section): boolean {
    if (isHidden(section)) return false;
    if (section === "discounts") return this.has("shop");
    return this.#filled.size === 0 || ALWAYS_THERE.has(section) || this.#filled.has(section);
  }

  /** Checks which sections have records, if that may have changed. */
  async follow(db: Db, versions: Versions): Promise<void> {
    const before = this.#followed;
    if (before && FOLLOWED.every((domain) => before[domain] === versions[domain])) return;
    // Only loading the demo adds demo records. Without an index, it would take long to find that there are none.
    const mayBeDemo = this.#isDemo || before?.site !== versions.site;
    const [filled, isDemo] = [await findFilled(db), mayBeDemo && (await hasDemoRecords(db))];
    this.#followed = versions;
    const isSame =
      filled.length === this.#filled.size && filled.every((section) => this.#filled.has(section));
    if (isSame && isDemo === this.#isDemo) return;
    this.#filled = new Set(filled);
    this.#isDemo = isDemo;
    this.#version++;
  }
}

async function findFilled(db: Db): Promise<Section[]> {
  const tables = { ...Object.fromEntries(storedKinds().map((kind) => [kind, kind])), ...SECTION_TABLES };
  const each = Object.entries(tables);
  const rows = await selectRows<{ section: Section }>(
    db,
    each.map(() => "select ?::text as section where exists (select from ??)").join(" union all "),
    each.flat(),
  );
  return rows.map(({ section }) => section);
}
