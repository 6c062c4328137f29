import { createHash } from "node:crypto";
import { z } from "zod";
import { refuse } from "./values.ts";

/** A text by language; that of `""` is for every language without its own. */
export type TextByLanguage = Readonly<Record<string, string>>;

/** A text that every page shows for a time; undefined: from the start, and until it is removed. */
export interface Announcement {
  /** Changes with the texts, so that readers who have dismissed one see another. */
  readonly id: string;
  readonly texts: TextByLanguage;
  readonly from: Date | undefined;
  readonly until: Date | undefined;
}

/** Where the text of another language begins: `Hello|ru:Привет`. */
const NEXT_LANGUAGE = /\|(?=[a-z]{2,3}(?:-[A-Za-z0-9]+)*:)/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}[\d:.]*(Z|[+-]\d{2}:\d{2})$/;
const PERIOD = /^(\d[\w:.+-]*)?\/(\d[\w:.+-]*)?\s/;

export const ANNOUNCEMENTS_AT_MOST = 5;

/** The settings of texts. */
export const textSettings = {
  HOME_TEXT: z.string().max(4_000, "must be at most 4000 characters").transform(parseTexts).optional().meta({
    accepts: "Markdown: `Welcome!\\|ru:Добро пожаловать!`",
    description: "A text on the front page.",
  }),
  ANNOUNCEMENT: z
    .string()
    .max(20_000, "must be at most 20000 characters")
    .transform(parseAnnouncements)
    .default([])
    .meta({
      accepts:
        "the same; a period may precede it: `2027-01-30T18:00Z/2027-01-31T06:00Z Repairs tonight`; `\\|\\|` between several",
      description: "Up to five texts at the top of every page, in the order of their starts.",
    }),
};

function parseTexts(text: string): TextByLanguage {
  const [own = "", ...others] = text.split(NEXT_LANGUAGE).map((part) => part.trim());
  return { "": own, ...Object.fromEntries(others.map((part) => part.split(/:(.*)/s).slice(0, 2))) };
}

function parseAnnouncements(text: string, context: z.RefinementCtx): Announcement[] {
  const parts = text.split("||").flatMap((part) => part.trim() || []);
  if (parts.length > ANNOUNCEMENTS_AT_MOST) refuse(context, `must be at most ${ANNOUNCEMENTS_AT_MOST}`);
  const start = ({ from }: Announcement) => from?.getTime() ?? 0;
  return parts.map((part) => parseAnnouncement(part, context)).sort((a, b) => start(a) - start(b));
}

function parseAnnouncement(text: string, context: z.RefinementCtx): Announcement {
  const [whole = "", ...period] = PERIOD.exec(text) ?? [];
  const [from, until] = period.map((moment) => (moment ? new Date(moment) : undefined));
  if (period.some((moment) => moment && !(TIME.test(moment) && Date.parse(moment))))
    return refuse(context, "must begin with times such as 2027-01-30T18:00Z/2027-01-31T06:00Z");
  if (from && until && until <= from) return refuse(context, "must end after it begins");
  const texts = text.slice(whole.length);
  const id = createHash("sha256").update(texts).digest("hex").slice(0, 12);
  return { id, texts: parseTexts(texts), from, until };
}

/** Spells what `parseTexts` reads; empty if there is no text. */
export function spellTexts({ "": own = "", ...others }: TextByLanguage): string {
  const parts = Object.entries({ "": own, ...others }).filter(([tag, text]) => tag === "" || text !== "");
  const spelled = parts.map(([tag, text]) => (tag && `${tag}:`) + text.split(NEXT_LANGUAGE).join("| "));
  return spelled.join("|");
}

/** Spells a text so that nothing in it separates announcements. */
export function spellAnnouncement(texts: TextByLanguage): string {
  const spelled = Object.entries(texts).map(([tag, text]) => [tag, text.replaceAll(/\|(?=\||$)/g, "| ")]);
  return spellTexts(Object.fromEntries(spelled));
}

/** Whether an announcement has begun and has not ended. */
export function isShown({ from, until }: Announcement, now = new Date()): boolean {
  return (from === undefined || from <= now) && (until === undefined || now < until);
}
