import { Option } from "commander";
import type { DiscountInput } from "../donate/discount-plan.ts";
import type { KnownDiscount } from "../donate/discount-queries.ts";
import { readTimeIn } from "../donate/local-times.ts";
import { zoneNamed } from "../http/time-zones.ts";
import { say } from "../i18n/said.ts";
import { withPoint } from "../prices/prices.ts";
import { quote, Refusal, readDecimal, readLine, readPercent } from "../records/values.ts";
import { UsageError } from "../usage-error.ts";
import type { Command, CommandContext } from "./command.ts";

export interface DiscountOptions {
  percent?: string;
  price?: string;
  starts?: string;
  ends?: string;
  zone?: string;
  title?: string;
  announced?: true;
  hidden?: true;
  dryRun?: true;
}

export function takesInput(command: Command): Command {
  return command
    .addOption(new Option("--percent <n>", "percent taken off").conflicts("price"))
    .option("--price <n>", "the price meanwhile")
    .option("--starts <time>", 'when it starts; "now": at once')
    .option("--ends <time>", 'when it ends; "never": when somebody ends it')
    .option("--zone <zone>", "the time zone of times without an offset, such as Europe/Berlin")
    .option("--title <text>", "what it is called")
    .addOption(new Option("--announced", "show it in the shop before it starts").conflicts("hidden"))
    .option("--hidden", "do not show it before it starts")
    .option("--dry-run", "print what would come of it, and save nothing");
}

/**
 * What the options ask for; what they do not name stays as it is in a known discount.
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
    title: readTitle(options.title, known),
    terms: readTerms(options, known),
    startsAt: readTime("starts", options, starts_at, warn),
    endsAt: readTime("ends", options, ends_at, warn),
    announced: options.hidden ? false : (options.announced ?? known?.announced ?? false),
  };
}

/** A past discount needs a new start: whoever gives only an end may believe that it still runs. */
function periodToKeep({ starts }: DiscountOptions, known: KnownDiscount | undefined) {
  if (known && known.phase !== "past") return known;
  if (known && starts === undefined)
    throw new UsageError("it is over: name a new start by --starts (now: at once) to run it again");
  return { starts_at: null, ends_at: null };
}

function readTitle(title: string | undefined, known: KnownDiscount | undefined): string | null {
  if (title === undefined) return known?.title ?? null;
  return title === "" ? null : take("title", readLine(title, 300));
}

function readTerms(
  { percent, price }: DiscountOptions,
  known: KnownDiscount | undefined,
): DiscountInput["terms"] {
  if (percent !== undefined)
    return { percent: take("percent", readTyped(percent, readPercent)), price: null };
  if (price !== undefined) return { percent: null, price: take("price", readTyped(price, readDecimal)) };
  if (!known) throw new UsageError("say how much is taken off: --percent or --price");
  return { percent: known.percent, price: known.price };
}

function readTyped(text: string, read: (text: string) => string | Refusal): string | Refusal {
  const number = withPoint(text);
  if (number !== undefined) return read(number);
  return new Refusal(`is not clear: ${quote(text)} may mean ${text.replace(",", "")} or a fraction`);
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
  const moment = readTimeIn(text, readZone(options.zone));
  if (moment.error !== undefined) throw new UsageError(`--${name} ${text} ${say(moment.error)}`);
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
  if (value instanceof Refusal) throw new UsageError(`--${name} ${value.reason}`);
  return value;
}
