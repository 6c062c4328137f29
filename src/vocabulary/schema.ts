import { parse } from "culori";
import { z } from "zod";
import { saidAsMessage } from "../i18n/said.ts";
import { CATEGORY_GLYPHS, OWN_GLYPHS } from "../kinds/glyphs.ts";
import { BUILT_IN_KINDS, type BuiltInKind } from "../kinds/kinds.ts";
import { mistakesOfOwnKinds } from "./own-kind-names.ts";
import { mistakesOfReferences } from "./reference-kinds.ts";

/** The kinds of values that an attribute can be said to have. */
export const VALUE_TYPES = [
  ...["number", "share", "money", "duration", "date", "text"],
  ...["richText", "link", "entry", "entries"],
] as const;

/** Those whose values name entries of a kind. */
export const REFERENCE_TYPES = ["entry", "entries"] as const;

/** What a duration is counted in. */
export const DURATION_UNITS = ["milliseconds", "seconds", "minutes", "hours", "days"] as const;

const languageTag = z.string().regex(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/, {
  error: saidAsMessage("operator.vocabulary.mistake.language"),
});

/** A text in one language or in several. */
const text = inLanguages(visible());

/** With places for nothing but the number. */
const unitText = inLanguages(
  visible().regex(/^([^{}]|\{figure\})*$/u, {
    error: saidAsMessage("operator.vocabulary.mistake.unit_braces"),
  }),
);

const colour = z
  .string()
  .refine((value) => parse(value) !== undefined && (parse(value)?.alpha ?? 1) === 1, {
    error: ({ input }) =>
      saidAsMessage("operator.vocabulary.mistake.colour", { given: JSON.stringify(input) }),
  })
  .meta({
    description: "Made darker or lighter until text in it is readable on the page.",
    pattern: "^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[a-zA-Z]{3,20}|[a-zA-Z]+\\(.+\\))$",
  });

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
    { error: saidAsMessage("operator.vocabulary.mistake.value_shape") },
  )
  .describe("What a value is called, its colour, and its place among the others.");

/** What can be said only of attributes of some types. */
const FIELDS_OF_TYPES = [
  { field: "linkText", types: ["link"] },
  { field: "kind", types: REFERENCE_TYPES },
  { field: "reverse", types: REFERENCE_TYPES },
  { field: "id", types: ["entries"] },
  { field: "count", types: ["entries"] },
] as const;

function isReferenceType(type: string | undefined): boolean {
  return REFERENCE_TYPES.some((each) => each === type);
}

const attribute = z
  .strictObject({
    label: text.optional().describe("What the attribute is called on pages."),
    type: z.enum(VALUE_TYPES).optional().describe("How values are written; guessed if left out."),
    unit: unitText
      .optional()
      .describe('Stands after a number: "km/h". With {figure} in it, the number stands there.'),
    decimals: z.int().min(0).max(6).optional().describe("Digits after the point, always as many."),
    currency: visible(12).optional().describe('Of money: "EUR", or the name of the game\'s own.'),
    countedIn: z.enum(DURATION_UNITS).optional().describe("Of a duration: what its number counts."),
    linkText: text.optional().describe("Of a link: what it says in place of its host."),
    kind: z
      .string()
      .optional()
      .describe("Of entry and entries: the kind that the values name, such as items."),
    reverse: text.optional().describe("What those who name an entry are called on its page: Sold here."),
    id: visible(200).optional().describe('Of entries: the field with the id; "id" if left out.'),
    count: visible(200).optional().describe('Of entries: the field that says how many; "count" if left out.'),
    order: z.number().optional().describe("Attributes with an order come first, the lowest at the top."),
    group: visible().optional().describe("The group that the attribute stands in on an entry's page."),
    hidden: z.boolean().optional().describe("Shown nowhere."),
    inLists: z.boolean().optional().describe("Always a column of lists, or never."),
    values: z.record(z.string(), value).optional(),
  })
  .superRefine((given, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    const { type } = given;
    if (given.currency !== undefined && type !== "money") refuse("currency", needs('"type": "money"'));
    if (type === "money" && given.currency === undefined)
      refuse("type", saidAsMessage("operator.vocabulary.mistake.needs_currency"));
    if (given.countedIn !== undefined && type !== "duration")
      refuse("countedIn", needs('"type": "duration"'));
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
      refuse("type", saidAsMessage("operator.vocabulary.mistake.needs_kind"));
    if (given.hidden === true && given.inLists === true)
      refuse("inLists", saidAsMessage("operator.vocabulary.mistake.contradicts"));
  })
  .meta({ allOf: attributeRules() });

function needs(what: string): string {
  return saidAsMessage("operator.vocabulary.mistake.needs", { what });
}

function doesNotGo(type: string): string {
  return saidAsMessage("operator.vocabulary.mistake.does_not_go", { what: `"type": "${type}"` });
}

const attributes = z.record(visible(200), attribute);

const group = z.strictObject({ label: text, order: z.number().optional() });

const category = z.strictObject({
  label: text.optional().describe("What the category is called on pages."),
  glyph: z.enum(CATEGORY_GLYPHS).optional().describe("Stands in place of a picture for records without one."),
  colour: colour.optional().describe("The colour of the glyph, made darker or lighter until it can be seen."),
});

const words = {
  tint: visible(200)
    .optional()
    .describe(
      "The attribute whose value's colour names are written in; by default the first with ranked colours.",
    ),
  attributes: attributes.optional(),
  groups: z.record(visible(), group).optional(),
};

const kind = z.strictObject(words);

/** Not for the texts that are made of them: they have marks of their own for what is filled in. */
const kindWord = text.refine((value) => !/\{\{|\}\}|\$t\(/.test(JSON.stringify(value)), {
  error: saidAsMessage("operator.vocabulary.mistake.kind_marks", { marks: "{{, }}, $t(" }),
});

const PLURAL_FORMS = ["zero", "one", "two", "few", "many", "other"] as const;

/** By language, the forms that its numbers need: `{ "en": { "one": "{figure} quest", "other": "{figure} quests" } }`. */
const counts = z.record(
  languageTag,
  z.partialRecord(
    z.enum(PLURAL_FORMS),
    visible().refine((value) => value.includes("{figure}") && !/\{\{|\}\}|\$t\(/.test(value), {
      error: saidAsMessage("operator.vocabulary.mistake.count_marks"),
    }),
  ),
);

const ownKind = z
  .strictObject({
    one: z.string().optional().describe("The word for one entry in relations and in the API: quest."),
    name: z
      .strictObject({
        one: kindWord.describe("What one entry is called on pages: Quest."),
        many: kindWord.describe("What all of them are called: Quests."),
        count: counts.optional().describe("How a number of them is written; else as Quests: 12."),
      })
      .optional(),
    glyph: z.enum(OWN_GLYPHS).optional().describe("The drawing of entries without a picture."),
    colour: colour.optional(),
    searched: z.boolean().optional().describe("The search finds them; true if left out."),
    compared: z.boolean().optional().describe("They can be compared; true if left out."),
    favorite: z.boolean().optional().describe("Users can make them favorites; true if left out."),
    feed: z.boolean().optional().describe("They have a feed of changes; true if left out."),
    placed: z.boolean().optional().describe("They are on a map, by x and y; false if left out."),
    ...words,
  })
  .describe("A kind of your own; its name is its path.");

/** What is said of a kind that is built in, or a kind of the operator's own. */
export type OwnKindWords = z.output<typeof ownKind>;

const builtIn = Object.fromEntries(BUILT_IN_KINDS.map((name) => [name, kind.optional()])) as Record<
  BuiltInKind,
  z.ZodOptional<typeof kind>
>;

/**
 * The file in which an operator says what the game's data means (docs/vocabulary.md). Attributes beside `kinds` are those
 * of every kind; what a kind says of its own goes first.
 */
export const vocabularySchema = z
  .strictObject({
    $schema: z.string().optional(),
    attributes: attributes.optional(),
    groups: z.record(visible(), group).optional(),
    categories: z
      .record(visible(300), category)
      .optional()
      .describe("Categories of all kinds and of the shop, by the word that the records have."),
    kinds: z.object(builtIn).catchall(ownKind).optional(),
  })
  .superRefine((file, context) => {
    for (const { path, message } of mistakesOfOwnKinds(file.kinds ?? {}))
      context.addIssue({ code: "custom", path, message });
    for (const { path, message } of mistakesOfReferences(file))
      context.addIssue({ code: "custom", path, message });
    for (const { path, name } of groupsNamed(file)) {
      context.addIssue({
        code: "custom",
        path,
        message: saidAsMessage("operator.vocabulary.mistake.no_group", { name: JSON.stringify(name) }),
      });
    }
  });

export type VocabularyFile = z.output<typeof vocabularySchema>;
export type Text = z.output<typeof text>;
export type AttributeWords = z.output<typeof attribute>;
export type KindWords = z.output<typeof kind>;
export type ValueWords = Exclude<z.output<typeof value>, string>;
export type CategoryWords = z.output<typeof category>;
export type GroupWords = z.output<typeof group>;

/** The groups that attributes name and nothing defines. */
function groupsNamed(file: Pick<VocabularyFile, "attributes" | "groups" | "kinds">) {
  const shared = Object.keys(file.groups ?? {});
  const kinds = Object.entries(file.kinds ?? {});
  const everywhere = [...shared, ...kinds.flatMap(([, { groups = {} }]) => Object.keys(groups))];
  const places = [
    { path: ["attributes"], attributes: file.attributes, known: everywhere },
    ...kinds.map(([name, { attributes, groups = {} }]) => {
      return { path: ["kinds", name, "attributes"], attributes, known: [...shared, ...Object.keys(groups)] };
    }),
  ];
  return places.flatMap(({ path, attributes = {}, known }) =>
    Object.entries(attributes).flatMap(([key, { group }]) =>
      group === undefined || known.includes(group) ? [] : [{ path: [...path, key, "group"], name: group }],
    ),
  );
}

/** Also marks that turn the direction of what follows. */
const CONTROL = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

function codeOf(text: string): string {
  const code = CONTROL.exec(text)?.[0].codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Text with something to see in it. */
function visible(most = 300) {
  return z
    .string()
    .max(most, { error: saidAsMessage("operator.vocabulary.mistake.too_long", { most }) })
    .regex(/[^\p{Z}\p{Cc}\p{Cf}]/u, { error: saidAsMessage("operator.vocabulary.mistake.blank") })
    .regex(/^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u, {
      error: ({ input }) =>
        saidAsMessage("operator.vocabulary.mistake.control", { code: codeOf(String(input)) }),
    });
}

function inLanguages<Said extends z.ZodString>(said: Said) {
  return z
    .union([said, z.record(languageTag, said).meta({ minProperties: 1 })], {
      error: saidAsMessage("operator.vocabulary.mistake.text_shape", {
        example: '{ "en": "Speed", "ru": "Скорость" }',
      }),
    })
    .refine((value) => typeof value === "string" || Object.keys(value).length > 0, {
      error: saidAsMessage("operator.vocabulary.mistake.no_language"),
    });
}

type ValueType = (typeof VALUE_TYPES)[number];

function withoutTypes(...some: ValueType[]): ValueType[] {
  return VALUE_TYPES.filter((type) => !some.includes(type));
}

/** What superRefine says of an attribute, for the JSON Schema. */
function attributeRules(): object[] {
  const typeIs = (...types: ValueType[]) => {
    return { required: ["type"], properties: { type: { enum: types } } };
  };
  const has = (name: string) => ({ required: [name] });
  const ifThen = (one: object, other: object) => ({ anyOf: [{ not: one }, other] });
  const shown = { hidden: { const: true }, inLists: { const: true } };
  return [
    ifThen(typeIs("money"), has("currency")),
    ifThen(has("currency"), typeIs("money")),
    ifThen(typeIs("duration"), has("countedIn")),
    ifThen(has("countedIn"), typeIs("duration")),
    ifThen(typeIs(...withoutTypes("number")), { not: has("unit") }),
    ifThen(typeIs(...withoutTypes("number", "share")), { not: has("decimals") }),
    ifThen(typeIs(...REFERENCE_TYPES), has("kind")),
    ...FIELDS_OF_TYPES.map(({ field, types }) => ifThen(has(field), typeIs(...types))),
    { not: { required: ["hidden", "inLists"], properties: shown } },
  ];
}
