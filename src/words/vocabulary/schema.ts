import { z } from "zod";
import { zodMessage } from "../i18n/lazy-text.ts";
import { CATEGORY_GLYPHS, OWN_GLYPHS } from "../kinds/glyphs.ts";
import { BUILT_IN_KINDS, type BuiltInKind } from "../kinds/kinds.ts";
import { GAME_CODES } from "../text/game-codes.ts";
import { attribute } from "./attribute-schema.ts";
import { mistakesOfOwnKinds } from "./own-kind-names.ts";
import { mistakesOfReferences } from "./references.ts";
import { colour, languageTag, text, visible } from "./text-schema.ts";

const attributes = z.record(visible(200), attribute);

const group = z.strictObject({ label: text, order: z.number().optional() });

const category = z.strictObject({
  label: text.optional().describe("The category's label on pages."),
  glyph: z.enum(CATEGORY_GLYPHS).optional().describe("Shown for records without a picture."),
  colour: colour.optional().describe("The colour of the glyph, made darker or lighter until it is visible."),
});

const words = {
  codes: z
    .enum(GAME_CODES)
    .optional()
    .describe(
      "The game whose codes for colours are left out of texts that are imported or written by the API.",
    ),
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
  error: zodMessage("operator.vocabulary.mistake.kind_marks", { marks: "{{, }}, $t(" }),
});

const PLURAL_FORMS = ["zero", "one", "two", "few", "many", "other"] as const;

/** By language, the forms that its numbers need: `{ "en": { "one": "{figure} quest", "other": "{figure} quests" } }`. */
const counts = z.record(
  languageTag,
  z.partialRecord(
    z.enum(PLURAL_FORMS),
    visible().refine((value) => value.includes("{figure}") && !/\{\{|\}\}|\$t\(/.test(value), {
      error: zodMessage("operator.vocabulary.mistake.count_marks"),
    }),
  ),
);

const MISTAKEN_CURRENCY = {
  error: zodMessage("operator.vocabulary.mistake.text_shape", {
    example: '{ "en": { "one": "coin", "other": "coins" }, "ru": "монеты" }',
  }),
};

/** By language, a name, or the forms of it that go with numbers. */
const currencyNames = z.record(
  languageTag,
  z.union([visible(40), z.partialRecord(z.enum(PLURAL_FORMS), visible(40))], MISTAKEN_CURRENCY),
);

const ownKind = z
  .strictObject({
    one: z.string().optional().describe("The word for one entry in relations and in the API: quest."),
    name: z
      .strictObject({
        one: kindWord.describe("The name of one entry on pages: Quest."),
        many: kindWord.describe("The name of several entries: Quests."),
        count: counts.optional().describe("The text for a number of entries; without it, Quests: 12."),
      })
      .optional(),
    glyph: z.enum(OWN_GLYPHS).optional().describe("Shown for entries without a picture."),
    colour: colour.optional(),
    searched: z.boolean().optional().describe("Whether the search finds them; true if left out."),
    compared: z.boolean().optional().describe("Whether they can be compared; true if left out."),
    favorite: z.boolean().optional().describe("Whether users can add them to favorites; true if left out."),
    feed: z.boolean().optional().describe("Whether they have a feed of changes; true if left out."),
    placed: z.boolean().optional().describe("Whether they are on a map, by x and y; false if left out."),
    ...words,
  })
  .describe("A kind of your own; its name is its path.");

/** The entries of a built-in kind, or of an own kind. */
export type OwnKindWords = z.output<typeof ownKind>;

const builtIn = Object.fromEntries(BUILT_IN_KINDS.map((name) => [name, kind.optional()])) as Record<
  BuiltInKind,
  z.ZodOptional<typeof kind>
>;

/**
 * The file that defines the meaning of the game's data (docs/vocabulary.md). Attributes beside `kinds` are those of
 * every kind; a kind's own entries win.
 */
export const vocabularySchema = z
  .strictObject({
    $schema: z.string().optional(),
    attributes: attributes.optional(),
    groups: z.record(visible(), group).optional(),
    categories: z
      .record(visible(300), category)
      .optional()
      .describe("Categories of all kinds and of the shop, by their value in the records."),
    currencies: z
      .record(visible(12), z.union([visible(40), currencyNames], MISTAKEN_CURRENCY))
      .optional()
      .describe("What currencies are called, by their code: the shop's, and those of attributes."),
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
        message: zodMessage("operator.vocabulary.mistake.no_group", { name: JSON.stringify(name) }),
      });
    }
  });

export type VocabularyFile = z.output<typeof vocabularySchema>;
export type KindWords = z.output<typeof kind>;
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
