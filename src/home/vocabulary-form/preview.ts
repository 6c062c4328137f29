import type { Request } from "express";
import {
  type AttributeWords,
  attributeRows,
  NAMED_IN_LINE,
  NAMED_ON_ENTRY,
  withKindWords,
} from "../../catalogue/attributes.ts";
import { describeComparison } from "../../catalogue/compare.ts";
import { describeCard } from "../../catalogue/entry/card.ts";
import { findEntry } from "../../catalogue/entry/queries.ts";
import { listReferences } from "../../catalogue/linked-values.ts";
import { findCompared, listEntries } from "../../catalogue/list/queries.ts";
import { chooseColumns, listTable, wholeTraits } from "../../catalogue/list/table.ts";
import type { Db } from "../../db/connect.ts";
import { withoutPosition } from "../../records/position.ts";
import { lookUpEntries } from "../../records/relations/named-entries.ts";
import { textLanguage } from "../../records/text-language.ts";
import type { Site } from "../../web/look/site.ts";
import { formatFor } from "../../web/request/format.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { LANGUAGES, languageName } from "../../words/i18n/languages.ts";
import { translate } from "../../words/i18n/translate.ts";
import { type CatalogueKind, has } from "../../words/kinds/kinds.ts";
import type { LiveVocabulary } from "../../words/vocabulary/live.ts";
import type { VocabularyFile } from "../../words/vocabulary/schema.ts";
import { tintClass } from "../../words/vocabulary/tint.ts";
import type { Difference } from "./edit-text.ts";
import type { FormContext } from "./save.ts";

/** The maximum number of records in a preview, and of kinds if the change affects several. */
const RECORDS_SHOWN = 3;
const KINDS_SHOWN = 2;
const COLOURS_AT_MOST = 400;

/** The subject of a preview. */
export interface Previewed {
  readonly differences: readonly Difference[];
  /** Ids of records to show of the first kind; if empty, the most popular ones. */
  readonly chosen: readonly string[];
  /** The kinds that the form concerns. */
  readonly kinds: readonly CatalogueKind[];
}

/** The site with another file as its vocabulary. */
export function siteWith(req: Request, vocabulary: LiveVocabulary, file: VocabularyFile): Site {
  const words = vocabulary.wouldBe(file, { withDefaults: req.site.demo });
  const colours = words.colours().slice(0, COLOURS_AT_MOST);
  const { paths } = localeOf(req);
  return req.site.withVocabulary(
    words,
    colours.length === 0
      ? undefined
      : paths.operatorVocabularyTints([...new Set(colours.map(toHex))].join(".")),
  );
}

/** `b3341b`, as in the class of the colour. */
function toHex(colour: string): string {
  return tintClass(colour).slice(tintClass("#000000").length - 6);
}

/** Records with a site's vocabulary, of each kind that changes, in each language. */
export async function describePreview(context: FormContext, site: Site, previewed: Previewed, own: Locale) {
  const kinds = await chooseKinds(context, previewed);
  return Promise.all(
    LANGUAGES.map(async (language) => {
      const locale = localeIn(language, own);
      const shown = kinds.map(({ kind, ids }) => previewKind(context, site, kind, ids, locale));
      return { ...locale, name: languageName(language), kinds: await Promise.all(shown) };
    }),
  );
}

/** Links stay in the operator's own language. */
function localeIn(language: string, own: Locale): Locale {
  const { timeZone } = own.format;
  return { ...own, language, t: translate(language), format: formatFor(language, timeZone) };
}

async function chooseKinds(
  { slowQueryDb: db }: FormContext,
  { differences, chosen, kinds }: Previewed,
): Promise<{ kind: CatalogueKind; ids: string[] }[]> {
  const changed = kinds.filter((kind) =>
    differences.some(({ where }) => where.startsWith(`kinds → ${kind} →`)),
  );
  const words = differences.flatMap(({ where }) => (/^categories → (.+?) →/.exec(where) ?? []).slice(1));
  const asked = changed.length > 0 ? changed : kinds;
  const found = await Promise.all(asked.map(async (kind) => ({ kind, ids: await findIds(kind) })));
  return found.filter(({ ids }) => ids.length > 0).slice(0, KINDS_SHOWN);

  /** Chosen ones, else one of each category that changes, else the most popular ones. */
  async function findIds(kind: CatalogueKind): Promise<string[]> {
    const list = (filter: { ids?: string[]; category?: string }, limit = RECORDS_SHOWN) =>
      listEntries(db, kind, filter, { sort: "popularity", limit, offset: 0 });
    if (chosen.length > 0) return (await list({ ids: [...chosen] }, chosen.length)).map(({ id }) => id);
    if (words.length === 0 || changed.length > 0) return (await list({})).map(({ id }) => id);
    const ofWords = await Promise.all(words.slice(0, RECORDS_SHOWN).map((category) => list({ category }, 1)));
    return ofWords.flat().map(({ id }) => id);
  }
}

async function previewKind(
  { slowQueryDb: db, facets }: FormContext,
  site: Site,
  kind: CatalogueKind,
  ids: string[],
  locale: Locale,
) {
  const kindWords = withKindWords(locale, site, kind);
  const { vocabulary } = kindWords;
  const known = await facets.read(kind);
  const view = { category: undefined, sort: "popularity" as const };
  const traits = wholeTraits(known.facets);
  const columns = chooseColumns(view, known.facets, vocabulary, traits);
  const { tint } = vocabulary;
  const read = tint === undefined ? columns : [...new Set([...columns, tint])];
  const range = { sort: "popularity", limit: ids.length, offset: 0, columns: read } as const;
  const entries = await listEntries(db, kind, { ids }, range);
  const [first] = entries;
  const entry = first && (await findEntry(db, kind, first.id));
  const said = [
    ...listReferences(
      entries.map(({ shown }) => shown),
      vocabulary,
      NAMED_IN_LINE,
    ),
    ...listReferences(entry ? [entry.attributes] : [], vocabulary, NAMED_ON_ENTRY),
  ];
  const named = await lookUpEntries(db, said, site.vocabulary);
  const words = { ...kindWords, entries: named };
  const order = { sorts: [], sort: "popularity", canSort: false } as const;
  const table = listTable(
    entries,
    { columns, ...order, traits, view: { q: "", category: undefined } },
    words,
  );
  const cardColumns = known.facets.columns.map(({ key }) => key);
  return {
    kind,
    title: locale.t(`kinds.${kind}.many`),
    table: withoutSorts(table),
    attributes: entry ? renderPanel(kind, entry, words) : [],
    card: entry && describeCard(site, kind, entry, cardColumns, locale, named),
    comparison: await compareEntries(db, site, kind, entries, locale),
  };
}

/** The records side by side; undefined for a single one, or if entries of the kind are not compared. */
async function compareEntries(
  db: Db,
  site: Site,
  kind: CatalogueKind,
  entries: readonly { id: string }[],
  locale: Locale,
) {
  if (!has(kind, "isCompared") || entries.length < 2) return undefined;
  const ids = entries.slice(0, RECORDS_SHOWN).map(({ id }) => id);
  return describeComparison(db, await findCompared(db, kind, ids), kind, site, locale);
}

/** Sorting a preview makes no sense. */
function withoutSorts({ heads, ...table }: ReturnType<typeof listTable>) {
  const still = <Head extends { sort: unknown; sorted: unknown }>(head: Head) => ({
    ...head,
    sort: undefined,
    sorted: undefined,
  });
  const { name, attributes, popularity, changed } = heads;
  return {
    ...table,
    heads: {
      name: still(name),
      attributes: attributes.map(still),
      popularity: popularity && still(popularity),
      changed: changed && still(changed),
    },
  };
}

function renderPanel(
  kind: CatalogueKind,
  entry: NonNullable<Awaited<ReturnType<typeof findEntry>>>,
  words: Locale & AttributeWords,
) {
  const attributes = has(kind, "isPlaced") ? withoutPosition(entry.attributes) : entry.attributes;
  return attributeRows(attributes, {
    ...words,
    owner: { kind, id: entry.id },
    textLang: textLanguage(entry),
  });
}
