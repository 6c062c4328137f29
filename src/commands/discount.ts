import { Option } from "commander";
import type { Knex } from "knex";
import { COMMAND } from "../db/audit-queries.ts";
import { discountedPrice } from "../records/prices/prices.ts";
import { type Phase, readDatabaseClock } from "../records/prices/queries.ts";
import { Refusal, readId } from "../records/values.ts";
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
import { type Call, Command, type CommandContext, fail, logCommand } from "./command.ts";
import { type DiscountOptions, readDiscountInput, takesInput } from "./discount-options.ts";

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
