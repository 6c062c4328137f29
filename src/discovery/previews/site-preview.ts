import { type RequestHandler, Router } from "express";
import type { Preview } from "../../web/look/site.ts";
import { localeOf } from "../../web/request/locale.ts";
import type { Language } from "../../words/i18n/languages.ts";
import type { DrawnKind } from "../../words/kinds/glyphs.ts";
import { catalogueKinds } from "../../words/kinds/kinds.ts";
import { paths } from "../../words/urls.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import type { PreviewCard } from "./card.ts";
import { type PreviewSite, previewGlyph, previewLook } from "./look.ts";
import { createPreview, previewLocale, previewPath } from "./preview.ts";
import type { Previews } from "./previews.ts";

/** The picture of pages without a record: the site's name and sections. */
export function sitePreviewRoutes({ previews }: { previews: Previews }): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.sitePreview(":file"), previews.serve(findSite) as RequestHandler);
  return router;
}

const findSite: Parameters<Previews["serve"]>[0] = async (req) => {
  const card = siteCard(req.site, localeOf(req).language);
  return { card, path: previewPath(card, (local, file) => local.sitePreview(file)) };
};

/** The site's own picture for a language, created once for each vocabulary, look and choice of kinds. */
export function sitePreview(site: PreviewSite, language: Language): Preview {
  const known = made.get(site.vocabulary) ?? new Map<string, Preview>();
  made.set(site.vocabulary, known);
  const key = JSON.stringify([language, previewLook(site), catalogueKinds()]);
  const preview =
    known.get(key) ?? createPreview(siteCard(site, language), (local, file) => local.sitePreview(file), site);
  known.set(key, preview);
  return preview;
}

const made = new WeakMap<Vocabulary, Map<string, Preview>>();

function siteCard(site: PreviewSite, language: Language): PreviewCard {
  const { t } = previewLocale(language);
  const kinds: DrawnKind[] = [...catalogueKinds(), "servers"];
  const sections = [...catalogueKinds().map((kind) => t(`kinds.${kind}.many`)), t("layout.sections.servers")];
  return {
    language,
    kicker: new URL(site.baseUrl).host,
    name: t("home.title"),
    facts: [],
    note: sections.join(" · "),
    glyphs: kinds.map((kind) => previewGlyph(site, kind, null)),
    look: previewLook(site),
  };
}
