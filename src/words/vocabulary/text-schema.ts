import { z } from "zod";
import { loadCulori } from "../../settings/look.ts";
import { zodMessage } from "../i18n/lazy-text.ts";
import { VISIBLE } from "../text/visible.ts";

/** The tag of a language: `en`, `pt-BR`. */
export const languageTag = z.string().regex(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/, {
  error: zodMessage("operator.vocabulary.mistake.language"),
});

/** A text in one language or in several. */
export const text = inLanguages(visible());

/** With places for nothing but the number. */
export const unitText = inLanguages(
  visible().regex(/^([^{}]|\{figure\})*$/u, {
    error: zodMessage("operator.vocabulary.mistake.unit_braces"),
  }),
);

/** A colour in any CSS spelling. */
export const colour = z
  .string()
  .refine(
    (value) => (loadCulori().parse(value)?.alpha ?? 1) === 1 && loadCulori().parse(value) !== undefined,
    {
      error: ({ input }) =>
        zodMessage("operator.vocabulary.mistake.colour", { given: JSON.stringify(input) }),
    },
  )
  .meta({
    description: "Made darker or lighter until text in it is readable on the page.",
    pattern: "^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[a-zA-Z]{3,20}|[a-zA-Z]+\\(.+\\))$",
  });

export type Text = z.output<typeof text>;

/** Also marks that turn the direction of what follows. */
const CONTROL = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

function renderCode(text: string): string {
  const code = CONTROL.exec(text)?.[0].codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Text with something to see in it. */
export function visible(most = 300) {
  return z
    .string()
    .max(most, { error: zodMessage("operator.vocabulary.mistake.too_long", { most }) })
    .regex(VISIBLE, { error: zodMessage("operator.vocabulary.mistake.blank") })
    .regex(/^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u, {
      error: ({ input }) =>
        zodMessage("operator.vocabulary.mistake.control", { code: renderCode(String(input)) }),
    });
}

function inLanguages<Said extends z.ZodString>(said: Said) {
  return z
    .union([said, z.record(languageTag, said).meta({ minProperties: 1 })], {
      error: zodMessage("operator.vocabulary.mistake.text_shape", {
        example: '{ "en": "Speed", "ru": "Скорость" }',
      }),
    })
    .refine((value) => typeof value === "string" || Object.keys(value).length > 0, {
      error: zodMessage("operator.vocabulary.mistake.no_language"),
    });
}
