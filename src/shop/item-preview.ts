import type { RequestHandler } from "express";
import type { PreviewCard } from "../discovery/previews/card.ts";
import { type PreviewSite, previewGlyph, previewLook } from "../discovery/previews/look.ts";
import { previewLocale, previewName, previewPath } from "../discovery/previews/preview.ts";
import type { Previews } from "../discovery/previews/previews.ts";
import { priceFigure } from "../discovery/previews/price.ts";
import { findShopItem, type ShopItem } from "../records/prices/queries.ts";
import { storedPicture } from "../records/stored-picture.ts";
import { snapshotFor } from "../web/answers/answer-scope.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { localeOf } from "../web/request/locale.ts";
import { id } from "../web/request/params.ts";
import type { Language } from "../words/i18n/languages.ts";
import type { Paths } from "../words/urls.ts";
import { presentItem } from "./shop-page.ts";

/** `GET /donate/<key>/preview/<version>.jpeg`: the picture that chats show of a link to an item of the shop. */
export function showItemPreview({
  db: database,
  previews,
}: Pick<BaseContext, "db"> & { previews: Previews }): RequestHandler<{ key: string; file: string }> {
  return previews.serve(async (req) => {
    const key = id().safeParse(req.params.key);
    const item = key.success && (await findShopItem(await snapshotFor(req, database), key.data));
    if (!item) return undefined;
    const card = itemCard(req.site, item, localeOf(req).language);
    return { card, path: previewPath(card, itemPreviewPath(item.key)) };
  });
}

/** The address of an item's picture. */
export function itemPreviewPath(key: string) {
  return (paths: Paths, file: string) => paths.donateItemPreview(key, file);
}

/** An item with its price, what a discount saves and until when. */
export function itemCard(site: PreviewSite, item: ShopItem, language: Language): PreviewCard {
  const locale = previewLocale(language);
  const { t, format } = locale;
  const { shown, saved, price } = presentItem(item, locale);
  const category = item.category === null ? undefined : site.category(item.category, language).text;
  const endsAt = item.sale?.discount.ends_at;
  return {
    language,
    kicker: [t("donate.shop.title"), category].filter(Boolean).join(" · "),
    name: previewName([shown.name, ...Object.values(item.names), item.name], item.key),
    figure: priceFigure(price, saved?.percent, locale),
    facts: [],
    note: endsAt ? t("donate.item.preview_until", { time: format.time(endsAt) }) : undefined,
    picture: storedPicture(item.picture)?.name,
    glyphs: [previewGlyph(site, "shop", item.category)],
    look: previewLook(site),
  };
}
