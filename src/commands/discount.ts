import { Option } from "commander";
import type { Knex } from "knex";
import { COMMAND } from "../db/audit-queries.ts";
import { canonicalLocale } from "../exchange/import/records/json-values.ts";
import { discountedPrice, withPoint } from "../records/prices/prices.ts";
import { type Phase, readDatabaseClock } from "../records/prices/queries.ts";
import { titledBy } from "../records/shown-title.ts";
import { Refusal, readDecimal, readId, readLine, readPercent } from "../records/values.ts";
import { UsageError } from "../settings/usage-error.ts";
import { recordChangedDiscount, recordEndedDiscount, recordNewDiscount } from "../shop/discount-actions.ts";
import { type DiscountErrors, type DiscountInput, planDiscount, sayError } from "../shop/discount-plan.ts";
import { type DiscountPreview, previewPlan } from "../shop/discount-preview.ts";
import {
  type DiscountedItem,
  findDiscount,
  findItemsByText,
  itemOf,
  type KnownDiscount,
  listDiscounts,
  PHASES,
} from "../shop/discount-queries.ts";
import { makeDiscountId, type SaveOutcome } from "../shop/save-discount.ts";
import { zoneNamed } from "../web/request/time-zones.ts";
import { translateText } from "../words/i18n/lazy-text.ts";
import { readTimeIn } from "../words/text/local-times.ts";
import { type Call, Command, type CommandContext, fail, logCommand } from "./command.ts";

const BUSY = "an import is writing to the shop at this moment: try again";

export const discountCommand = new Command("discount").needsSubcommand().notes(`
<item> is the key of an item of the shop, or its name. Times are ISO 8601 with an offset (2026-03-28T18:00:00+01:00, …Z),
or those that clocks show in --zone (2026-03-28T18:00 with --zone Europe/Berlin). Without --starts (or with
--starts now) it starts at once, without --ends (or with --ends never) it runs until somebody ends it. --announced shows
it in the shop before it starts, --hidden does not.
"add" prints the id of the new discount. "change" keeps what no option names; "change" of one that is over needs
--starts (or --starts now) and runs it again, which everybody who waits for it is told of. "end" ends one that runs,
now, and withdraws one that comes. --dry-run prints what would come of it: item, old price, new price, start, end and how many
users would be told. --title is for readers whose language no --title-in names; --title-in ru= removes a title.
"list" prints one discount a line: id, running or coming or past, item, percent or price, new price, currency, start,
end, title, with tabs between.
`);

discountCommand
  .command("list")
  .description("Print one discount a line")
  .addOption(new Option("--phase <phase>", "only those").choices(PHASES))
  .option("--search <text>", "only those with this text")
  .does(list);

takesInput(discountCommand.command("add <item>").description("Add one, and print its id")).does(add);
takesInput(discountCommand.command("change <id>").description("Change what the options name")).does(change);
discountCommand
  .command("end <id>")
  .description("End one that runs, now, or withdraw one that comes")
  .does(end);

async function list({ options, context }: Call<{ phase?: Phase; search?: string }>): Promise<number> {
  for (const discount of await listDiscounts(await context.db(), options)) {
    context.out(describe(discount).join("\t"));
  }
  return 0;
}

function describe(discount: KnownDiscount): string[] {
  const { id, phase, item_key, percent, price, item_price, currency, starts_at, ends_at, title } = discount;
  const newPrice = discountedPrice({ price: item_price, currency }, discount);
  const terms = percent === null ? `to ${price}` : `${Number(percent)}%`;
  const times = [starts_at.toISOString(), ends_at?.toISOString() ?? ""];
  return [id, phase, item_key, terms, newPrice ?? "", currency, ...times, title ?? ""];
}

async function add({ words: [text], options, context }: Call<DiscountOptions, [string]>): Promise<number> {
  const input = readDiscountInput(options, undefined, context);
  const db = await context.db();
  const { found: item, similar } = isText(text) ? await findItemsByText(db, text) : { similar: [] };
  if (!item) {
    const near = similar.map(({ key, name }) => `${key} (${name})`).join(", ");
    const hint = near === "" ? "" : `; with these words there are ${near}`;
    return fail(
      context,
      `there is no item ${text} in the shop, or several are called so: name its key${hint}`,
    );
  }
  if (options.dryRun) return preview(context, db, input, item, undefined);
  const id = makeDiscountId(input.title ?? item.name);
  const saved = await recordNewDiscount(db, COMMAND, { id, itemKey: item.key, input });
  return answer(context, saved, id);
}

async function change({ words: [id], options, context }: Call<DiscountOptions, [string]>): Promise<number> {
  const db = await context.db();
  const known = isText(id) ? await findDiscount(db, id) : undefined;
  if (!known) return fail(context, `there is no discount ${id}`);
  const input = readDiscountInput(options, known, context);
  if (options.dryRun) return preview(context, db, input, itemOf(known), known);
  return answer(
    context,
    await recordChangedDiscount(db, COMMAND, known, { version: known.version, phase: known.phase, input }),
    id,
  );
}

async function end({ words: [id], context }: Call<object, [string]>): Promise<number> {
  const db = await context.db();
  const known = isText(id) ? await findDiscount(db, id) : undefined;
  const outcome = known ? await recordEndedDiscount(db, COMMAND, known, undefined) : "gone";
  if (outcome === "gone") return fail(context, `there is no discount ${id}`);
  if (outcome === "busy") return fail(context, BUSY);
  if (outcome === "already over") return fail(context, `${id} is over already`);
  logCommand(context, "discount.ended", { discount: id, change: outcome });
  context.out(`${id}\t${outcome}`);
  return 0;
}

function isText(id: string): boolean {
  return !(readId(id) instanceof Refusal);
}

async function preview(
  context: CommandContext,
  db: Knex,
  input: DiscountInput,
  item: DiscountedItem,
  known: KnownDiscount | undefined,
): Promise<number> {
  const now = await readDatabaseClock(db);
  const { plan, errors } = planDiscount(input, item, known, now);
  if (errors) return failAll(context, errors);
  printPreview(context, await previewPlan(db, item, plan, known, now));
  return 0;
}

function printPreview({ out }: CommandContext, { item, plan, rivals, unnotified }: DiscountPreview): void {
  out(`item\t${item.key}\t${item.name}`);
  out(`old price\t${item.price ?? "none"}\t${item.currency}`);
  out(`new price\t${plan.newPrice}\t${item.currency}`);
  out(`starts\t${plan.isAtOnce ? "at once" : plan.startsAt.toISOString()}`);
  out(`ends\t${plan.endsAt?.toISOString() ?? "never"}`);
  out(`told\t${unnotified}`);
  for (const { discount, newPrice, winner } of rivals) {
    out(`beside\t${discount.id}\t${newPrice ?? "unknown"}\t${winner === "this" ? "loses" : "wins"}`);
  }
}

function answer(context: CommandContext, saved: SaveOutcome, id: string): number {
  if (saved.outcome === "gone") return fail(context, "it was removed meanwhile");
  if (saved.outcome === "busy") return fail(context, BUSY);
  if (saved.outcome === "changed") return fail(context, "somebody changed it meanwhile: look at it again");
  if (saved.outcome === "moved on") return fail(context, "it started or ended meanwhile: look at it again");
  if (saved.outcome === "exists") return fail(context, `there is another discount ${id}: try again`);
  if (saved.outcome === "refused") return failAll(context, saved.errors);
  logCommand(context, "discount.saved", { discount: id });
  context.out(id);
  return 0;
}

function failAll(context: CommandContext, errors: DiscountErrors): number {
  for (const [name, error] of Object.entries(errors)) fail(context, `--${name} ${sayError(error)}`);
  return 1;
}

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
    `--${name} is ambiguous: ${JSON.stringify(text)} may mean ${text.replace(",", "")} or a fraction`,
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
