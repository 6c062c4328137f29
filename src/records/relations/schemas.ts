import { z } from "zod";
import { id, oneOf, text, wholeNumber } from "../../web/request/params.ts";
import { entityKinds } from "../../words/kinds/kinds.ts";

export const DIRECTIONS = ["from", "to"] as const;

/** The name of a relation. Names of attribute relations are a kind, a dot and the attribute. */
const LONGEST_RELATION = 300;
export const relationName = text(1, LONGEST_RELATION);

/** One group of an entry's relations, on a page of its own. */
export const groupInput = z.object({
  relation: relationName,
  direction: oneOf(DIRECTIONS),
  page: wholeNumber(1, 1_000_000).default(1),
});

/** The API's fields of an entry's relation, for the existing kinds. */
export function relationFields() {
  return {
    relation: z.string().meta({
      description:
        "Such as made-of, or items.sold_at if the attribute sold_at of an item names the other entry.",
    }),
    direction: z.enum(DIRECTIONS).meta({
      description:
        "from: the requested entry is made of this one; to: this one is made of the requested entry.",
    }),
    kind: z.enum(entityKinds()),
    id: z.string(),
    name: z.string(),
    url: z.url(),
    count: z.number().nullable(),
    chance: z.number().nullable().meta({ description: "A share from 0 to 1." }),
  };
}

/** The input and output of `/api/relations`, for the existing kinds. */
export function relationsSchemas() {
  const kinds = entityKinds();
  const related = z.object(relationFields()).meta({ id: "Relation" });
  return {
    input: z.object({
      kind: oneOf(kinds),
      id: id(),
      limit: wholeNumber(1, 50).default(10),
      offset: wholeNumber(0, 10_000).default(0),
    }),
    output: z.object({
      entity_kind: z.enum(kinds),
      entity_id: z.string(),
      relations: z.array(related),
      more: z.boolean().meta({ description: "Whether there are more after these." }),
    }),
  };
}
