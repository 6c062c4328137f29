import { z } from "zod";
import { id, oneOf } from "../../web/request/params.ts";
import { API_FAVORITE_KINDS, type FavoriteKind, favoriteKinds } from "../../words/kinds/kinds.ts";

const favorite = z.boolean().meta({ description: "Whether it is a favorite now." });

/** Pages send the state they want, so that pressing twice, or in two tabs, has the same result. */
const wanted = oneOf(["yes", "no"]).optional();

export const serverToggle = z.object({
  server_id: id(),
  wanted,
});
export const toggledServer = z.object({ server_id: z.string(), favorite });

export const donateToggle = z.object({
  item_key: id(),
  wanted,
});
export const toggledDonateItem = z.object({ item_key: z.string(), favorite });

/** The schemas of a toggle of entries of these kinds. */
function createToggleSchema(kinds: readonly FavoriteKind[]) {
  return {
    input: z.object({ kind: oneOf(kinds), entity_id: id(), wanted }),
    output: z.object({ kind: z.enum(kinds), entity_id: z.string(), favorite }),
  };
}

export const entityToggle = createToggleSchema(API_FAVORITE_KINDS);

/** Includes the operator's own kinds. */
export function entryToggle() {
  return createToggleSchema(favoriteKinds());
}
