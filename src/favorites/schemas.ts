import { z } from "zod";
import { id, oneOf } from "../http/params.ts";
import { FAVORITE_KINDS } from "../kinds/kinds.ts";

const favorite = z.boolean().meta({ description: "Whether it is a favorite now." });

/** Pages send the state they want, so that a press on two tabs, or twice, has the same result. */
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

export const entityToggle = z.object({
  kind: oneOf(FAVORITE_KINDS),
  entity_id: id(),
  wanted,
});
export const toggledEntity = z.object({ kind: z.enum(FAVORITE_KINDS), entity_id: z.string(), favorite });
