import { Option } from "commander";
import { canonicalLocale } from "../exchange/import/records/json-values.ts";
import { withPoint } from "../records/prices/prices.ts";
import { titledBy } from "../records/shown-title.ts";
import { quote, Refusal, readDecimal, readLine, readPercent } from "../records/values.ts";
import { UsageError } from "../settings/usage-error.ts";
import type { DiscountInput } from "../shop/discount-plan.ts";
import type { KnownDiscount } from "../shop/discount-queries.ts";
import { zoneNamed } from "../web/request/time-zones.ts";
import { translateText } from "../words/i18n/lazy-text.ts";
import { readTimeIn } from "../words/text/local-times.ts";
import type { Command, CommandContext } from "./command.ts";

export interface DiscountOptions {
  percent?: string;
  price?: string;
  starts?: string;
  ends?: string;
  zone?: string;
  title?: string;
  titleIn?: string[];
  announced?: true;
  hidden?: true;
  dryRun?: true;
}

export function takesInput(command: Command): Command {
  return command
    .addOption(new Option("--percent <n>", "percent taken off").conflicts("price"))
    .option("--price <n>", "the price meanwhile")
    .option("--starts <time>", 'when it starts; "now": at once; a day: at its start')
    .option("--ends <time>", 'when it ends; "never": when somebody ends it; a day: at its end')
    .option(
      "--zone <zone>",
      "the time zone of times without an offset, such as Europe/Berlin, and of days, else UTC",
    )
    .option("--title <text>", "what it is called")
    .option(
      "--title-in <language=text>",
      "what it is called in a language, such as ru=Неделя дрифта; may be repeated",
      (text, all: string[] = []) => [...all, text],
    )
    .addOption(new Option("--announced", "show it in the shop before it starts").conflicts("hidden"))
    .option("--hidden", "do not show it before it starts")
    .option("--dry-run", "print what would come of it, and save nothing");
}

/**
 * Reads the options; fields without one keep the values of a known discount.
 * @throws UsageError
 */
export function readDiscountInput(
  options: DiscountOptions,
  known: KnownDiscount | undefined,
  { err }: Pick<CommandContext, "err">,
): DiscountInput {
  const { starts_at, ends_at } = periodToKeep(options, known);
  const warn = (line: string) => err(`almanac: ${line}`);
  return {
    ...readTitles(options, known),
    terms: readTerms(options, known),
    startsAt: readTime("starts", options, starts_at, warn),
    endsAt: readTime("ends", options, ends_at, warn),
    announced: options.hidden ? false : (options.announced ?? known?.announced ?? false),
  };
}

/** A past discount needs a new start: with an end alone, the user may believe that it still runs. */
function periodToKeep({ starts }: DiscountOptions, known: KnownDiscount | undefined) {
  if (known && known.phase !== "past") return known;
  if (known && starts === undefined)
    throw new UsageError("it is over: name a new start by --starts (now: at once) to run it again");
  return { starts_at: null, ends_at: null };
}

/**
 * `--title` is for readers whose language has no title of its own; blank, it removes all. `--title-in` is for those of one
 * language; blank, it removes that one.
 */
function readTitles({ title, titleIn = [] }: DiscountOptions, known: KnownDiscount | undefined) {
  const titles = new Map(title === "" ? [] : Object.entries(known?.titles ?? {}));
  let main = title === undefined ? (known?.title ?? null) : takeTitle("title", title);
  // The main title is also that of its language, where that is known.
  for (const [language, text] of titles) if (title && text === known?.title) titles.delete(language);
  for (const option of titleIn) {
    const { language, text } = readTitleIn(option);
    const before = titles.get(language);
    if (before !== undefined && before === main) main = null;
    titles.delete(language);
    if (text !== null) titles.set(language, text);
  }
  const titled = titledBy(Object.fromEntries(titles));
  return { ...titled, title: main ?? titled.title };
}

function readTitleIn(option: string): { language: string; text: string | null } {
  const [, tag = "", text = ""] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
  const language = canonicalLocale(tag);
  if (language === undefined)
    throw new UsageError(`--title-in ${option}: say language=title, with a language such as ru or pt-BR`);
  return { language, text: takeTitle("title-in", text) };
}

/** Blank: none. */
function takeTitle(name: string, text: string): string | null {
  return text === "" ? null : take(name, readLine(text, 300));
}

function readTerms(
  { percent, price }: DiscountOptions,
  known: KnownDiscount | undefined,
): DiscountInput["terms"] {
  if (percent !== undefined)
    return { percent: take("percent", readTyped("percent", percent, readPercent)), price: null };
  if (price !== undefined)
    return { percent: null, price: take("price", readTyped("price", price, readDecimal)) };
  if (!known) throw new UsageError("say how much is taken off: --percent or --price");
  return { percent: known.percent, price: known.price };
}

function readTyped(name: string, text: string, read: (text: string) => string | Refusal): string | Refusal {
  const number = withPoint(text);
  if (number !== undefined) return read(number);
  throw new UsageError(
    `--${name} is ambiguous: ${quote(text)} may mean ${text.replace(",", "")} or a fraction`,
  );
}

/** The words for no time. */
const OPEN = { starts: "now", ends: "never" };

function readTime(
  name: "starts" | "ends",
  options: DiscountOptions,
  known: Date | null,
  warn: (line: string) => void,
): Date | null {
  const text = options[name];
  if (text === undefined) return known;
  if (text === OPEN[name]) return null;
  const moment = readTimeIn(text, readZone(options.zone), name === "ends" ? "end" : "start");
  if (moment.error !== undefined) throw new UsageError(`--${name} ${text} ${translateText(moment.error)}`);
  if (moment.isRepeated) warn(`clocks in ${options.zone} show ${text} twice; the first is taken`);
  return moment.at;
}

function readZone(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const zone = zoneNamed(text);
  if (zone === undefined) throw new UsageError(`--zone ${text} is no time zone such as Europe/Berlin`);
  return zone;
}

function take<T>(name: string, value: T | Refusal): T {
  if (value instanceof Refusal) throw new UsageError(`--${name} ${translateText(value.reason)}`);
  return value;
}
