import { LANGUAGES, type Language } from "../words/i18n/languages.ts";
import { type Translate, translate } from "../words/i18n/translate.ts";
import { isHidden } from "../words/kinds/hidden-sections.ts";
import { catalogueKinds, kindsWith } from "../words/kinds/kinds.ts";
import { isOtherKind, type SearchableKind } from "../words/kinds/searchable-kinds.ts";
import { type Paths, paths, withPrefix } from "../words/urls.ts";
import type { RecordToIndex } from "./index/records.ts";

/** Pages that have a name of their own in each language (`search.pages.<id>`). */
const NAMED = {
  home: paths.home(),
  servers: paths.servers(),
  donate: paths.donate(),
  discounts: `${paths.donate()}?sale=1`,
  nicknames: paths.nicknames(),
  favorites: paths.favorites(),
  notifications: paths.notifications(),
  notification_settings: paths.notificationSettings(),
  webhooks: paths.webhooks(),
  profile: paths.profile(),
  api_keys: paths.apiKeys(),
  log_in: paths.login(),
  register: paths.register(),
  forgotten_password: paths.forgottenPassword(),
  api_docs: paths.apiDocs(),
  error_docs: paths.errorDocs(),
  card_docs: paths.cardDocs(),
  items_feed: paths.feed("items"),
  discounts_feed: paths.discountsFeed(),
  // public/js/web/early.ts applies the choice on any page.
  theme_dark: "/#theme-dark",
  theme_light: "/#theme-light",
  theme_system: "/#theme-system",
} as const;

type NamedPage = keyof typeof NAMED;

/** The pages that are not there where their section is switched off. */
const SECTION_OF: Partial<Record<NamedPage, string>> = {
  donate: "shop",
  discounts: "discounts",
  nicknames: "nicknames",
  items_feed: "items",
  discounts_feed: "discounts",
};

/** A page of the site, with what it is called and found by in one language. */
interface SitePage {
  readonly id: string;
  readonly path: string;
  name(t: Translate): string;
  also(t: Translate): readonly string[];
}

/** The site's own pages as records of the search, except the operators', which are for few. */
export function sitePages(): RecordToIndex[] {
  return listPages().map(({ id, name, also }) => {
    const names = Object.fromEntries(LANGUAGES.map((language) => [language, name(translate(language))]));
    return {
      id,
      name: names.en ?? id,
      names,
      category: null,
      image: null,
      popularity: null,
      aliases: LANGUAGES.flatMap((language: Language) => also(translate(language))),
    };
  });
}

/** The path of a page, without a language. */
export function sitePagePath(id: string): string {
  return listPages().find((page) => page.id === id)?.path ?? paths.home();
}

function listPages(): SitePage[] {
  return [...namedPages(), ...pagesOfKinds()];
}

function namedPages(): SitePage[] {
  const ids = (Object.keys(NAMED) as NamedPage[]).filter((id) => !isHidden(SECTION_OF[id] ?? ""));
  return ids.map((id) => ({
    id,
    path: NAMED[id],
    name: (t) => t(`search.pages.${id}.name`),
    also: (t) => listed(t(`search.pages.${id}.also`)),
  }));
}

/** Lists, maps and comparisons. */
function pagesOfKinds(): SitePage[] {
  const lists = catalogueKinds().map((kind) => ({
    id: kind,
    path: paths.catalogue(kind),
    name: (t: Translate) => t(`kinds.${kind}.many`),
    also: () => [],
  }));
  const maps = kindsWith("isPlaced").map((kind) => ({
    id: `${kind}_map`,
    path: paths.map(kind),
    name: (t: Translate) => t(`kinds.${kind}.map.title`),
    also: (t: Translate) => listed(t("search.pages.map")),
  }));
  const compared = kindsWith("isCompared").map((kind) => ({
    id: `${kind}_compare`,
    path: paths.compare(kind, []),
    name: (t: Translate) => t(`kinds.${kind}.compare`),
    also: (t: Translate) => listed(t("search.pages.compare")),
  }));
  return [...lists, ...maps, ...compared];
}

/** A text that lists words with commas between. */
function listed(text: string): string[] {
  return text.split(",").map((word) => word.trim());
}

/** A choice such as the dark theme, which is made where the reader is. */
const CHOICE = /^\/(?=#)/;

/** The path of what was found, in the language that `paths` and `prefix` are of. */
export function foundPath(paths: Paths, prefix: string, kind: SearchableKind, id: string): string {
  if (kind === "pages") return withPrefix(prefix, sitePagePath(id));
  if (kind === "servers") return paths.server(id);
  if (kind === "shop") return paths.donateItem(id);
  return paths.entry(kind, id);
}

/** The same as an address in a page: a choice leads nowhere else. */
export function foundAddress(paths: Paths, prefix: string, kind: SearchableKind, id: string): string {
  return isOtherKind(kind) && CHOICE.test(sitePagePath(id))
    ? sitePagePath(id).replace(CHOICE, "")
    : foundPath(paths, prefix, kind, id);
}
