import { z } from "zod";
import { zodMessage } from "../i18n/lazy-text.ts";
import { colour, text, unitText, visible } from "./text-schema.ts";

/** The types of an attribute's values. */
export const VALUE_TYPES = [
  ...["number", "share", "money", "duration", "date", "text"],
  ...["richText", "link", "entry", "entries"],
] as const;

/** Types whose values are references to entries of a kind. */
const REFERENCE_TYPES = ["entry", "entries"] as const;

/** What a duration is counted in. */
export const DURATION_UNITS = ["milliseconds", "seconds", "minutes", "hours", "days"] as const;

const value = z
  .union(
    [
      visible(),
      z.strictObject({
        label: text.optional(),
        colour: colour.optional(),
        rank: z.number().optional().describe("Values are listed from the lowest rank to the highest."),
      }),
    ],
    { error: zodMessage("operator.vocabulary.mistake.value_shape") },
  )
  .describe("A value's label, colour and rank.");

/** Fields that only attributes of some types may have. */
const FIELDS_OF_TYPES = [
  { field: "currency", types: ["money"] },
  { field: "countedIn", types: ["duration"] },
  { field: "linkText", types: ["link"] },
  { field: "kind", types: REFERENCE_TYPES },
  { field: "reverse", types: REFERENCE_TYPES },
  { field: "id", types: ["entries"] },
  { field: "count", types: ["entries"] },
] as const;

function isReferenceType(type: string | undefined): boolean {
  return REFERENCE_TYPES.some((each) => each === type);
}

/** An attribute's entry in the vocabulary. */
export const attribute = z
  .strictObject({
    label: text.optional().describe("The attribute's label on pages."),
    type: z.enum(VALUE_TYPES).optional().describe("The type of the values; guessed if left out."),
    unit: unitText
      .optional()
      .describe('Follows the number, such as "km/h"; {figure} in it stands for the number.'),
    decimals: z.int().min(0).max(6).optional().describe("The fixed number of decimal places."),
    currency: visible(12).optional().describe('For money: "EUR", or the name of the game\'s own currency.'),
    countedIn: z.enum(DURATION_UNITS).optional().describe("For a duration: the unit of the number."),
    linkText: text.optional().describe("For a link: its text, instead of the host."),
    kind: z
      .string()
      .optional()
      .describe("For entry and entries: the kind of the linked entries, such as items."),
    reverse: text.optional().describe("Label for backlinks on the page of a named entry, such as Sold here."),
    id: visible(200).optional().describe('For entries: the field with the id; "id" if left out.'),
    count: visible(200).optional().describe('For entries: the field with the quantity; "count" if left out.'),
    order: z.number().optional().describe("Attributes with an order come first, the lowest at the top."),
    group: visible().optional().describe("The attribute's group on an entry's page."),
    hidden: z.boolean().optional().describe("True hides it everywhere."),
    inLists: z.boolean().optional().describe("True: always a column of lists; false: never."),
    values: z.record(z.string(), value).optional(),
  })
  .superRefine((given, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    const { type } = given;
    if (type === "money" && given.currency === undefined)
      refuse("type", zodMessage("operator.vocabulary.mistake.needs_currency"));
    if (type === "duration" && given.countedIn === undefined)
      refuse("type", needs(`"countedIn": ${DURATION_UNITS.join(", ")}`));
    if (given.unit !== undefined && type !== undefined && type !== "number") refuse("unit", doesNotGo(type));
    if (given.decimals !== undefined && type !== undefined && type !== "number" && type !== "share")
      refuse("decimals", doesNotGo(type));
    for (const { field, types } of FIELDS_OF_TYPES) {
      if (given[field] !== undefined && !types.some((fitting) => fitting === type))
        refuse(field, needs(`"type": ${types.map((fitting) => `"${fitting}"`).join(", ")}`));
    }
    if (isReferenceType(type) && given.kind === undefined)
      refuse("type", zodMessage("operator.vocabulary.mistake.needs_kind"));
    if (given.hidden === true && given.inLists === true)
      refuse("inLists", zodMessage("operator.vocabulary.mistake.contradicts"));
  })
  .meta({ allOf: attributeRules() });

function needs(what: string): string {
  return zodMessage("operator.vocabulary.mistake.needs", { what });
}

function doesNotGo(type: string): string {
  return zodMessage("operator.vocabulary.mistake.does_not_go", { what: `"type": "${type}"` });
}

export type AttributeWords = z.output<typeof attribute>;
export type ValueWords = Exclude<z.output<typeof value>, string>;

type ValueType = (typeof VALUE_TYPES)[number];

function withoutTypes(...some: ValueType[]): ValueType[] {
  return VALUE_TYPES.filter((type) => !some.includes(type));
}

/** The rules of superRefine for an attribute, for the JSON Schema. */
function attributeRules(): object[] {
  const typeIs = (...types: ValueType[]) => {
    return { required: ["type"], properties: { type: { enum: types } } };
  };
  const has = (name: string) => ({ required: [name] });
  const ifThen = (one: object, other: object) => ({ anyOf: [{ not: one }, other] });
  const shown = { hidden: { const: true }, inLists: { const: true } };
  return [
    ifThen(typeIs("money"), has("currency")),
    ifThen(typeIs("duration"), has("countedIn")),
    ifThen(typeIs(...withoutTypes("number")), { not: has("unit") }),
    ifThen(typeIs(...withoutTypes("number", "share")), { not: has("decimals") }),
    ifThen(typeIs(...REFERENCE_TYPES), has("kind")),
    ...FIELDS_OF_TYPES.map(({ field, types }) => ifThen(has(field), typeIs(...types))),
    { not: { required: ["hidden", "inLists"], properties: shown } },
  ];
}
