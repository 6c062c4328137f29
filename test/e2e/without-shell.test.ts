import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { expect, inject, it, onTestFinished } from "vitest";
import { checkBackup } from "../../src/commands/backup/read-backup.ts";
import { launchChromium } from "../helpers/chromium.ts";
import { removeSite } from "../helpers/embedded.ts";
import { startSampPeer } from "../helpers/peers/samp.ts";
import { startSmtpPeer } from "../helpers/peers/smtp.ts";
import { startSite } from "../helpers/sites.ts";

const folder = await mkdtemp(path.join(inject("runFolder"), "shell-"));

const VEHICLES = [
  { id: 400, name: "Landstalker", cat: "Off Road", model: "landstal" },
  { id: 411, name: "Infernus", cat: "Sport Vehicles", model: "infernus" },
];
const ITEMS = "id;title;kind;price\n1;Brass Knuckles;Melee;150\n2;Golf Club;Melee;200\n";
const PASSWORD = "a password of somebody";

async function write(name: string, content: string | Buffer): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, content);
  return file;
}

const press = (page: Page, name: string | RegExp) =>
  page.locator("main").getByRole("button", { name, exact: true }).first().click();

/** Uploads a file, chooses what its fields become, looks at the changes, and imports it. */
async function importFile(page: Page, kind: string, file: string, fields: Record<string, string> = {}) {
  await page.goto("/operator/imports/new");
  const form = page.locator("#by-file");
  await form.locator("input[type=file]").setInputFiles(file);
  await form.getByLabel("Kind").selectOption(kind);
  await form.getByLabel("Source").fill(`the ${kind}`);
  await form.getByRole("button", { name: "Upload" }).click();
  for (const [field, target] of Object.entries(fields))
    await page.getByRole("combobox", { name: `Becomes: ${field}`, exact: true }).selectOption(target);
  await press(page, "Show what would change");
  await press(page, "Import");
  await page
    .locator("main")
    .getByRole("link", { name: /^Import \d+$/ })
    .click();
}

async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values))
    await page.getByLabel(label, { exact: true }).fill(value);
}

it("an empty machine becomes a whole site by clicks alone", { timeout: 300_000 }, async () => {
  onTestFinished(() => removeSite(folder));
  const [smtp, samp] = [await startSmtpPeer(), await startSampPeer({ online: 12 })];
  onTestFinished(async () => void (await Promise.all([smtp.stop(), samp.stop()])));
  // Only because the mail server and the game server are on this machine.
  const env = { DATA_DIR: path.join(folder, "data"), PRIVATE_ADDRESSES: "127.0.0.1" };
  const { url, process: site } = await startSite(env);
  const [, password = ""] = /operator with the password (\S+)/.exec(site.output.join("\n")) ?? [];
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await (await browser.newContext({ baseURL: url })).newPage();
  page.setDefaultTimeout(60_000);

  await page.goto("/login?next=/operator");
  await fill(page, { Name: "operator", Password: password });
  await press(page, "Log in");
  await page.getByLabel("Yes, remove it for good").check();
  await press(page, "Remove the demo data");
  await page.getByText("The demo data is removed.").waitFor();

  await page.goto("/operator/site");
  await fill(page, { Name: "Grand Archive", Color: "#0b6e4f" });
  await page.locator('[name="HOME_TEXT.en"]').fill("Welcome to our server.");
  await fill(page, {
    "Mail server": "127.0.0.1",
    "Port (optional)": String(smtp.port),
    "Sender (optional)": "archive@example.org",
  });
  await fill(page, { "Send the test e-mail to (optional)": "operator@example.org" });
  await press(page, "Save and send a test e-mail");
  await page.getByText(/The test e-mail was sent/).waitFor();
  expect(smtp.mails[0]?.raw).toContain("Test e-mail from Grand Archive");

  await importFile(page, "vehicles", await write("vehicles.json", JSON.stringify(VEHICLES)));
  await importFile(page, "items", await write("items.csv", ITEMS), { title: "name", kind: "category" });

  await page.goto("/vehicles/411");
  await page.getByRole("link", { name: "Change picture" }).click();
  const picture = sharp({ create: { width: 320, height: 240, channels: 3, background: "red" } });
  await page
    .locator("input[type=file]")
    .setInputFiles(await write("red.png", await picture.png().toBuffer()));
  await press(page, "Upload");
  await page.goto("/vehicles/411");
  const shown = page.locator("main img").first();
  await expect.poll(() => shown.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBeGreaterThan(0);

  await page.goto("/operator/new-record/servers");
  await fill(page, { ID: "main", Name: "Main server", "Address, as host:port": `127.0.0.1:${samp.port}` });
  await page.getByLabel("How the site gets its players").selectOption("gamedig");
  await fill(page, { "Query protocol": "gtasam" });
  await press(page, "Test now");
  await page.getByText("12 / 100").first().waitFor();
  await press(page, "Save");
  await page.goto("/servers");
  await page.getByRole("link", { name: "Main server" }).first().waitFor();

  await page.goto("/operator/new-record/donate-items");
  await fill(page, { ID: "vip", Name: "VIP status", Price: "1000", Currency: "USD" });
  await fill(page, { "Link to buy": "https://shop.example/vip" });
  await press(page, "Save");

  await page.goto("/operator/new-discount");
  await page.locator('input[name="item"]').fill("vip");
  await page.locator('input[name="amount"]').fill("25");
  await press(page, "Preview");
  await press(page, "Save");
  await page.goto("/donate/vip");
  await expect.poll(() => page.locator("main").textContent()).toContain("750");

  const other = await (await browser.newContext({ baseURL: url })).newPage();
  await other.goto("/register");
  await fill(other, { Name: "second", Password: PASSWORD });
  await other.locator("main form button[type=submit]").click();
  await other.waitForURL((address) => address.pathname !== "/register");
  await page.goto("/operator/people?q=second");
  await page.locator("main").getByRole("link", { name: "second" }).click();
  await page.locator('select[name="role"]').selectOption("operator");
  await page.locator('button[value="role"]').click();
  await other.goto("/operator");
  await other.getByRole("heading", { name: "Admin" }).waitFor();

  const begun = other.waitForEvent("download");
  await press(other, "Download a backup");
  const backup = path.join(folder, "site.tar");
  await (await begun).saveAs(backup);
  const { seal } = await checkBackup(backup);
  expect(seal.rows).toMatchObject({ users: 2, servers: 1, donate_items: 1, discounts: 1 });
  expect((await readFile(backup)).length).toBeGreaterThan(10_000);

  await page.goto("/");
  expect(await page.title()).toContain("Grand Archive");
  await page.getByText("Welcome to our server.").waitFor();
});
