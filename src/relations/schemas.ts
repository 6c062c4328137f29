import { z } from "zod";
import { id, oneOf, text, wholeNumber } from "../http/params.ts";
import { CATALOGUE_KINDS, KINDS } from "../kinds/kinds.ts";

const ENTITY_KINDS = CATALOGUE_KINDS.map((kind) => KINDS[kind].one);
const DIRECTIONS = ["from", "to"] as const;

/** One group of an entry's relations, on a page of its own. */
export const groupInput = z.object({
  relation: text(1, 60),
  direction: oneOf(DIRECTIONS),
  page: wholeNumber(1, 1_000_000).default(1),
});

export const relationsInput = z.object({
  kind: oneOf(ENTITY_KINDS),
  id: id(),
  limit: wholeNumber(1, 50).default(10),
  offset: wholeNumber(0, 10_000).default(0),
});

export const relationsOutput = z.object({
  entity_kind: z.enum(ENTITY_KINDS),
  entity_id: z.string(),
  relations: z.array(
    z
      .object({
        relation: z.string().meta({ description: "Such as made-of." }),
        direction: z.enum(DIRECTIONS).meta({
          description: "from: the entry asked for is made of this one; to: this one is made of it.",
        }),
        kind: z.enum(ENTITY_KINDS),
        id: z.string(),
        name: z.string(),
        url: z.url(),
        count: z.number().nullable(),
        chance: z.number().nullable().meta({ description: "A share from 0 to 1." }),
      })
      .meta({ id: "Relation" }),
  ),
  more: z.boolean().meta({ description: "Whether there are further ones after these." }),
});
