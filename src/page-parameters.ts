import { auditInput } from "./accounts/audit/schemas.ts";
import { peopleInput } from "./accounts/people/pages.ts";
import { compareInput } from "./catalogue/compare.ts";
import { entryInput } from "./catalogue/entry/page.ts";
import { kindFeedInput } from "./catalogue/feed.ts";
import { FILTER_PREFIXES } from "./catalogue/filters.ts";
import { listInput } from "./catalogue/list/address.ts";
import { stepInput } from "./catalogue/list/page.ts";
import { mapInput, pointsInput } from "./catalogue/map/pages.ts";
import { changesInput } from "./catalogue/past/changes-page.ts";
import { FEED_FORMATS } from "./discovery/feeds/document.ts";
import { feedInput } from "./discovery/feeds/routes.ts";
import { importsInput } from "./exchange/imports/pages.ts";
import { nicknameInput } from "./nicknames/schemas.ts";
import { inboxInput } from "./notifications/pages.ts";
import { groupInput } from "./records/relations/schemas.ts";
import { suggestionsInput } from "./search/opensearch.ts";
import { searchInput } from "./search/pages.ts";
import { serverInput, serversInput } from "./servers/pages.ts";
import { discountsInput } from "./shop/operator/pages.ts";
import { shopInput } from "./shop/shop-page.ts";
import { type KnownParameters, knownParameters } from "./web/server/target.ts";
import { catalogueKinds, kindsWith } from "./words/kinds/kinds.ts";
import { paths } from "./words/urls.ts";

/** What a path that is no endpoint reads from its query string. */
interface PageParameters {
  /** Relative to the language; `{id}` stands for one part. */
  readonly path: string;
  readonly parameters: KnownParameters;
}

/** The log-in page reads these: redirects after an ended session or a new password set them. */
const LOG_IN = ["next", "favorite", "changed", "ended", "keys", "feed", "browsers", "webhooks", "address"];

/**
 * Lists the parameters of every page, feed and file. A path that is missing here takes none: `readTarget` drops them, and
 * the page never sees them.
 */
export function pageParameters(): PageParameters[] {
  const named = (path: string, ...names: string[]) =>
    of(path, Object.fromEntries(names.map((name) => [name, 0])));
  return [
    of(paths.search(), searchInput().shape),
    of(paths.changes(), changesInput.shape),
    of(paths.searchSuggestions(), suggestionsInput.shape),
    ...catalogueKinds().flatMap((kind) => [
      of(paths.catalogue(kind), { ...listInput.shape, ...stepInput.shape }, FILTER_PREFIXES),
      of(paths.catalogueFile(kind), { ...listInput.shape, ...stepInput.shape }, FILTER_PREFIXES),
      of(`${paths.catalogue(kind)}/{id}`, entryInput.shape),
      of(`${paths.catalogue(kind)}/{id}/relations`, groupInput.shape),
    ]),
    ...kindsWith("isCompared").map((kind) => of(paths.compare(kind, []), { ...compareInput.shape, id: 0 })),
    ...kindsWith("isPlaced").flatMap((kind) => [
      of(paths.map(kind), mapInput.shape),
      of(paths.mapPoints(kind), pointsInput.shape),
    ]),
    ...FEED_FORMATS.flatMap((format) => [
      ...kindsWith("hasFeed").map((kind) => of(paths.feed(kind, format), kindFeedInput.shape)),
      of(paths.discountsFeed(format), feedInput.shape),
    ]),
    of(paths.servers(), { ...serversInput.shape, live: 0 }),
    of(paths.server("{id}"), { ...serverInput.shape, live: 0 }),
    of(`${paths.server("{id}")}/history.csv`, serverInput.shape),
    of(paths.donate(), shopInput.shape),
    of(paths.nicknames(), nicknameInput.shape),
    of(paths.notifications(), inboxInput.shape),
    of(paths.operatorDiscounts(), discountsInput.shape),
    of(paths.operatorImports(), importsInput.shape),
    named(paths.operatorNewImport(), "kind", "source", "list", "url"),
    of(paths.operatorPeople(), peopleInput.shape),
    of(paths.operatorAudit(), auditInput.shape),
    of(paths.operatorAuditFile(), auditInput.shape),
    named(paths.operatorNewDiscount(), "item"),
    named(paths.operatorVocabularyKind("{kind}"), "page"),
    named(paths.operatorVocabularyShared(), "page"),
    named(paths.operatorVocabularyCategories(), "page"),
    named("/operator/vocabulary/tints.css", "colours"),
    named("/suggest/{kind}/{id}", "sent"),
    named(paths.login(), ...LOG_IN),
    named(paths.register(), "next", "favorite"),
    named(paths.forgottenPassword(), "asked"),
  ];
}

function of(path: string, shape: object, prefixes?: readonly string[]): PageParameters {
  // Paths encode what they are given, the braces of `{id}` too.
  return { path: decodeURIComponent(path), parameters: knownParameters(shape, prefixes) };
}
