import { Router } from "express";
import { admitFew } from "../web/server/admission.ts";
import { openToAnyOrigin } from "../web/server/cross-origin.ts";
import { catalogueKinds, kindsWith } from "../words/kinds/kinds.ts";
import { paths } from "../words/urls.ts";
import { showComparison } from "./compare.ts";
import type { CatalogueContext } from "./context.ts";
import { showCard, showCardDocs } from "./entry/card.ts";
import { showEntry, showRelations } from "./entry/page.ts";
import { showEntryPreview } from "./entry/preview.ts";
import { sendListFile, showList } from "./list/page.ts";
import { showChanges } from "./past/changes-page.ts";

/** The pages of the catalogue: each kind's list, its entries, and comparisons. */
export function cataloguePages(context: CatalogueContext): Router {
  const router = Router({ caseSensitive: true });
  const admit = admitFew();
  // Separate from pages: a long file delays only other files.
  const admitFile = admitFew();
  for (const kind of kindsWith("isCompared"))
    router.get(paths.compare(kind, []), admit(showComparison(context, kind)));
  for (const kind of catalogueKinds()) {
    router.get(paths.catalogue(kind), admit(showList(context, kind)));
    router.all(paths.catalogueFile(kind), openToAnyOrigin);
    router.get(paths.catalogueFile(kind), admitFile(sendListFile(context, kind)));
    router.get(`${paths.catalogue(kind)}/:id`, showEntry(context, kind));
    router.get(`${paths.catalogue(kind)}/:id/relations`, admit(showRelations(context, kind)));
    router.get(`${paths.catalogue(kind)}/:id/card`, showCard(context, kind));
    router.get(`${paths.catalogue(kind)}/:id/preview/:file`, showEntryPreview(context, kind));
  }
  router.get(paths.changes(), admit(showChanges(context)));
  router.get(paths.cardDocs(), showCardDocs(context));
  return router;
}
