import { z } from "zod";
import { refuse } from "./values.ts";

/** A text by language; that of `""` is for every language without its own. */
export type TextByLanguage = Readonly<Record<string, string>>;

/** A text that every page shows for a time; undefined: from the start, and until it is removed. */
export interface Announcement {
  readonly texts: TextByLanguage;
  readonly from: Date | undefined;
  readonly until: Date | undefined;
}

/** Where the text of another language begins: `Hello|ru:Привет`. */
const NEXT_LANGUAGE = /\|(?=[a-z]{2,3}(?:-[A-Za-z0-9]+)*:)/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}[\d:.]*(Z|[+-]\d{2}:\d{2})$/;
const PERIOD = /^(\d[\w:.+-]*)?\/(\d[\w:.+-]*)?\s/;

/** The settings of texts. */
export const textSettings = {
  HOME_TEXT: z.string().max(4_000, "must be at most 4000 characters").transform(parseTexts).optional().meta({
    accepts: "Markdown: `Welcome!\\|ru:Добро пожаловать!`",
    description: "A text on the front page.",
  }),
  ANNOUNCEMENT: z
    .string()
    .max(4_000, "must be at most 4000 characters")
    .transform(parseAnnouncement)
    .optional()
    .meta({
      accepts: "the same; a period may precede it: `2027-01-30T18:00Z/2027-01-31T06:00Z Repairs tonight`",
      description: "A text at the top of every page.",
    }),
};

function parseTexts(text: string): TextByLanguage {
  const [own = "", ...others] = text.split(NEXT_LANGUAGE).map((part) => part.trim());
  return { "": own, ...Object.fromEntries(others.map((part) => part.split(/:(.*)/s).slice(0, 2))) };
}

function parseAnnouncement(text: string, context: z.RefinementCtx): Announcement {
  const [whole = "", ...period] = PERIOD.exec(text) ?? [];
  const [from, until] = period.map((moment) => (moment ? new Date(moment) : undefined));
  if (period.some((moment) => moment && !(TIME.test(moment) && Date.parse(moment))))
    return refuse(context, "must begin with times such as 2027-01-30T18:00Z/2027-01-31T06:00Z");
  if (from && until && until <= from) return refuse(context, "must end after it begins");
  return { texts: parseTexts(text.slice(whole.length)), from, until };
}

/** Spells what `parseTexts` reads; empty if there is no text. */
export function spellTexts({ "": own = "", ...others }: TextByLanguage): string {
  const parts = Object.entries({ "": own, ...others }).filter(([tag, text]) => tag === "" || text !== "");
  const spelled = parts.map(([tag, text]) => (tag && `${tag}:`) + text.split(NEXT_LANGUAGE).join("| "));
  return spelled.join("|");
}

/** The announcement's texts while it is shown. */
export function shownTexts(
  announcement: Announcement | undefined,
  now = new Date(),
): TextByLanguage | undefined {
  const { texts, from = now, until } = announcement ?? {};
  return from <= now && (until === undefined || now < until) ? texts : undefined;
}
