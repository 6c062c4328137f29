import { z } from "zod";
import { id, oneOf } from "../http/params.ts";
import { FAVORITE_KINDS } from "./queries.ts";

const favorite = z.boolean().meta({ description: "Whether it is a favorite now." });

export const serverToggle = z.object({ server_id: id() });
export const toggledServer = z.object({ server_id: z.string(), favorite });

export const donateToggle = z.object({ item_key: id() });
export const toggledDonateItem = z.object({ item_key: z.string(), favorite });

export const entityToggle = z.object({ kind: oneOf(FAVORITE_KINDS), entity_id: id() });
export const toggledEntity = z.object({ kind: z.enum(FAVORITE_KINDS), entity_id: z.string(), favorite });
