import type { Locale } from "../../web/request/locale.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type CatalogueKind, kindBySingular } from "../../words/kinds/kinds.ts";
import { findNameTint } from "../../words/vocabulary/tint.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import type { Pictured } from "../picture.ts";
import { amountText } from "./kinds.ts";
import type { NamedEntry } from "./named-entries.ts";
import type { Neighbour } from "./queries.ts";

/** The fields of a related entry on a page. */
type Shown = Pick<
  Neighbour,
  "kind" | "id" | "name" | "names" | "category" | "picture" | "image" | "tinted" | "count" | "chance"
>;

/** Language, links and formats, with the vocabulary of all kinds. */
export type RelatedWords = Locale & { everyKind: Vocabulary };

/** An entry in such a line; a missing one has no address and no picture. */
export interface RelatedHit {
  readonly href: string | undefined;
  readonly name: string;
  readonly lang: string | undefined;
  /** The class of the colour of its name. */
  readonly tint: string | undefined;
  readonly thumb: ({ kind: CatalogueKind; category: string | null } & Pictured) | undefined;
  readonly amount: string | undefined;
  readonly kind: { key: CatalogueKind; text: string } | undefined;
}

/** A related entry as views/records/relations/lines.ejs shows it. */
export interface RelatedLine {
  readonly hit: RelatedHit;
  readonly note: string | undefined;
  /** The heading above its own parts, which follow; undefined if it has none. */
  readonly opens: string | undefined;
  /** How many lists of parts end after it. */
  readonly closes: number;
}

/** A related entry with nothing below it. */
export function renderLine(kind: CatalogueKind, neighbour: Shown, locale: RelatedWords): RelatedLine {
  return { hit: describeNeighbour(kind, neighbour, locale), note: undefined, opens: undefined, closes: 0 };
}

/**
 * An entry that an attribute refers to, or the attribute's text without such an entry. All are of the attribute's kind.
 */
export function lineOfNamed(
  { said, count, entry }: { said: string; count: number | null; entry: NamedEntry | undefined },
  locale: Locale,
): RelatedLine {
  const amount = amountText({ count, chance: null }, locale);
  const hit = entry
    ? { ...describeEntry(entry.kind, entry, locale), kind: undefined, tint: entry.tint, amount }
    : { ...UNKNOWN, name: said, amount };
  return { hit, note: undefined, opens: undefined, closes: 0 };
}

/** Another entry on a page: its name in the page's language, and its kind if that differs from the page's. */
export function describeNeighbour(kind: CatalogueKind, neighbour: Shown, locale: RelatedWords): RelatedHit {
  const other = kindBySingular(neighbour.kind);
  return {
    ...describeEntry(other, neighbour, locale),
    kind: other === kind ? undefined : { key: other, text: locale.t(`kinds.${other}.one`) },
    tint: findNameTint(locale.everyKind.of(other), neighbour.tinted),
    amount: amountText(neighbour, locale),
  };
}

function describeEntry(
  kind: CatalogueKind,
  { id, category, picture, image, ...named }: Omit<NamedEntry, "kind" | "tint">,
  locale: Locale,
) {
  const { name, lang } = localName(named, locale.language);
  return {
    href: locale.paths.entry(kind, id),
    name,
    lang,
    thumb: { kind, category, picture, image },
  };
}

const UNKNOWN = { href: undefined, lang: undefined, thumb: undefined, kind: undefined, tint: undefined };
