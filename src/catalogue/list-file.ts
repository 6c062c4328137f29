import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { Request, RequestHandler, Response } from "express";
import { lookUpEntries } from "../records/relations/named-entries.ts";
import { encoders, preferredEncoding } from "../web/answers/encoding.ts";
import { sendStream } from "../web/answers/send-stream.ts";
import { CSV_MARK, csvLine, csvStyleOf } from "../web/request/csv.ts";
import { languageVary } from "../web/request/locale.ts";
import { localName } from "../words/i18n/local-name.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { withoutKey } from "../words/safe-urls.ts";
import { absoluteUrl } from "../words/urls.ts";
import { attributeLabel, figureUnit, NAMED_IN_LINE, shortText } from "./attributes.ts";
import type { CatalogueContext } from "./context.ts";
import { listReferences } from "./linked-values.ts";
import { readList, wordsOf } from "./list-page.ts";
import { type ListedEntry, listEntries } from "./list-queries.ts";
import { findListed } from "./list-search.ts";
import { isFigure, type ListWords } from "./list-table.ts";

/** Rows read by one query and written in one turn: a few milliseconds, during which other requests wait. */
const BATCH = 200;

type FileWords = ReturnType<typeof wordsOf>;

interface FileColumns {
  readonly attributes: readonly string[];
  readonly hasPopularity: boolean;
}

/**
 * Sends all rows of a list as CSV, in the list's order: at most `LIST_CAP`, as on its pages. A request with a wrong
 * filter is redirected to the list, which shows the error.
 */
export function sendListFile(context: CatalogueContext, kind: CatalogueKind): RequestHandler {
  return async (req, res) => {
    const words = wordsOf(kind, req);
    const { db, isCut, ...asked } = await readList(context, kind, req);
    res.set("X-Robots-Tag", "noindex");
    if (isCut || asked.view.filters.some(({ errors }) => Object.keys(errors).length > 0)) {
      const { search } = new URL(withoutKey(req.originalUrl), context.config.baseUrl);
      return res.set("Cache-Control", "no-store").redirect(303, words.paths.catalogue(kind) + search);
    }
    const { ids, ...columns } = await findListed({ db, memory: context.facets }, kind, asked, words);
    // Gives the connection back, so that a slow client does not hold it.
    req.answerScope?.end();
    await send(req, res, kind, fileParts(context, kind, ids, columns, words));
  };
}

async function send(
  req: Request,
  res: Response,
  kind: CatalogueKind,
  parts: AsyncGenerator<string>,
): Promise<void> {
  const encoding = preferredEncoding(req);
  res.vary(["Accept-Encoding", ...languageVary(req)].join(", "));
  res.set("Cache-Control", "private, no-cache");
  res.attachment(`${kind}.csv`);
  res.type("text/csv; charset=utf-8");
  if (encoding !== "identity") res.set("Content-Encoding", encoding);
  if (req.method === "HEAD") return void res.end();
  await sendStream(req, res, [Readable.from(parts), ...encoders(encoding)], "A list's file broke off");
}

/**
 * The file in batches, so that memory use does not depend on its size. Each batch is read when it is sent: it has the
 * records as they are then, without those removed since the ids were found.
 */
async function* fileParts(
  { db, config }: Pick<CatalogueContext, "db" | "config">,
  kind: CatalogueKind,
  ids: readonly string[],
  columns: FileColumns,
  words: FileWords,
): AsyncGenerator<string> {
  const style = csvStyleOf(words.language);
  yield CSV_MARK + csvLine(headOf(columns, words), style);
  for (let from = 0; from < ids.length; from += BATCH) {
    const batch = ids.slice(from, from + BATCH);
    const range = { sort: "match", limit: BATCH, offset: 0, columns: columns.attributes } as const;
    const entries = await listEntries(db, kind, { ids: batch }, range);
    const said = listReferences(
      entries.map(({ shown }) => shown),
      words.vocabulary,
      NAMED_IN_LINE,
    );
    const named = { ...words, entries: await lookUpEntries(db, said, words.everyKind) };
    const url = ({ id }: ListedEntry) => absoluteUrl(config.baseUrl, words.paths.entry(kind, id));
    yield entries.map((entry) => csvLine([...cellsOf(entry, columns, named), url(entry)], style)).join("");
    await turn();
  }
}

function headOf({ attributes, hasPopularity }: FileColumns, words: FileWords): string[] {
  const { t } = words;
  return [
    t("catalogue.list.file_columns.id"),
    t("catalogue.list.columns.name"),
    t("catalogue.list.file_columns.other_name"),
    t("catalogue.list.columns.category"),
    ...attributes.map((key) => attributeHead(key, words)),
    ...(hasPopularity ? [t("catalogue.list.columns.popularity")] : []),
    t("catalogue.list.columns.changed"),
    t("catalogue.list.file_columns.address"),
  ];
}

/** The unit stands in the heading, so that cells are plain numbers that a spreadsheet can add up. */
function attributeHead(key: string, words: ListWords): string {
  const label = attributeLabel(key, words);
  const unit = figureUnit(key, words);
  return unit === undefined ? label : `${label}, ${unit}`;
}

/** The cells of a record, without its address. */
function cellsOf(
  entry: ListedEntry,
  { attributes, hasPopularity }: FileColumns,
  words: ListWords,
): (string | number)[] {
  const { id, category, popularity, shown, updated_at } = entry;
  const { name, original = "" } = localName(entry, words.language);
  return [
    id,
    name,
    original,
    category === null ? "" : words.categoryName(category),
    ...attributes.map((key) => valueCell(key, shown[key] ?? null, words)),
    ...(hasPopularity ? [popularity ?? ""] : []),
    updated_at.toISOString(),
  ];
}

/** Types whose numbers mean nothing to a reader, such as seconds since 1970. */
const IN_WORDS = new Set<string | undefined>(["date", "duration"]);

function valueCell(key: string, value: unknown, words: ListWords): string | number {
  if (value === null) return "";
  const isPlain = isFigure(key, value, words) && !IN_WORDS.has(words.vocabulary.attribute(key)?.type);
  return typeof value === "number" && isPlain ? value : shortText(key, value, words);
}
