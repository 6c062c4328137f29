import { beforeAll, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { useTestApp } from "../helpers/app.ts";
import { addDiscount, addDonateItem, addEntity, addServer, hours } from "../helpers/things.ts";

const site = useTestApp();

beforeAll(async () => {
  const checked = { checked_at: site.db.fn.now() };
  await addServer(site.db, "busy", { online: 81, queue: 7, max_online: 100, status: "online", ...checked });
  await addServer(site.db, "gone", { online: 55, queue: 3, max_online: 100, status: "offline", ...checked });
  await addDonateItem(site.db, "sold", { name: "Sold item", price: "200.00" });
  await addDiscount(site.db, "a quarter", "sold");
  await addDiscount(site.db, "a half", "sold", { percent: "50" });
  await addDiscount(site.db, "later", "sold", { percent: "90", starts_at: hours(site.db, 1) });
  await addEntity(site.db, "houses", "a/b", { name: "<script>alert(1)</script>", category: "Villa & more" });
});

/** The table row that holds a text. */
function rowOf(html: string, text: string): string {
  return html.split("<tr>").find((row) => row.includes(text)) ?? "";
}

describe("the page of favorites", () => {
  it("explains how to add the first one", async () => {
    const { agent } = await site.logIn();
    const page = await agent.get("/favorites").expect(200);
    for (const path of ["/servers", "/donate", ...BUILT_IN_KINDS.map((kind) => `/${kind}`)]) {
      expect(page.text).toMatch(new RegExp(`class="empty">(.|\\n)*?href="${path}"`));
    }
  });

  it("shows a server's current figures, and none for one that is offline", async () => {
    const { id, agent } = await site.logIn();
    await toggleFavorite(site.db, id, "server", "busy");
    await toggleFavorite(site.db, id, "server", "gone");
    const page = await agent.get("/favorites").expect(200);
    const busy = rowOf(page.text, 'href="/servers/busy"');
    expect(busy).toContain("<strong>81</strong>");
    expect(busy).toMatch(/<td class="num wide-only">\s*7\s*<\/td>/);
    expect(busy).toMatch(/<small class="queue-below">Queue:\s*7\s*<\/small>/);
    const gone = rowOf(page.text, 'href="/servers/gone"');
    expect(gone).toContain("offline");
    expect(gone).not.toMatch(/\b(55|3)\b/);
  });

  it("is in the order of the names that it shows", async () => {
    await addDonateItem(site.db, "first", { name: "Alpha pack", names: { "ru-RU": "Ящик" } });
    await addDonateItem(site.db, "second", { name: "Zulu pack", names: { ru: "Аптечка" } });
    await addEntity(site.db, "houses", "h1", { name: "Alpha house", names: { "ru-RU": "Юрта" } });
    await addEntity(site.db, "houses", "h2", { name: "Zulu house", names: { ru: "Барак" } });
    const { id, agent } = await site.logIn();
    for (const key of ["first", "second"]) await toggleFavorite(site.db, id, "donate", key);
    for (const key of ["h1", "h2"]) await toggleFavorite(site.db, id, "house", key);
    const { text } = await agent.get("/ru/favorites").expect(200);
    const places = ["Аптечка", "Ящик", "Барак", "Юрта"].map((name) => text.indexOf(`>${name}</a>`));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  it("shows what a donate-shop item costs now: the lowest of what runs", async () => {
    const { id, agent } = await site.logIn();
    await toggleFavorite(site.db, id, "donate", "sold");
    const row = rowOf((await agent.get("/favorites").expect(200)).text, 'href="/donate/sold"');
    expect(row).toContain("100.00 EUR");
    expect(row).toContain("200.00 EUR");
    expect(row).not.toContain("20.00 EUR</");
  });

  it("links each entity under its kind, and shows its name as text", async () => {
    const { id, agent } = await site.logIn();
    await toggleFavorite(site.db, id, "house", "a/b");
    const page = await agent.get("/favorites").expect(200);
    expect(page.text).toContain('<h2 id="favorite-house">Houses</h2>');
    const row = rowOf(page.text, 'href="/houses/a%2Fb"');
    expect(row).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(row).toContain("Villa &amp; more");
    expect(page.text).not.toContain("<script>alert(1)");
    expect(page.text).not.toContain("favorite-item");
  });

  it("removes each by a form that works without script", async () => {
    const { id, agent } = await site.logIn();
    await toggleFavorite(site.db, id, "server", "busy");
    await toggleFavorite(site.db, id, "donate", "sold");
    await toggleFavorite(site.db, id, "house", "a/b");
    const page = await agent.get("/favorites").expect(200);
    const forms = [...page.text.matchAll(/<form class="favorite"[^>]*action="([^"]+)"[\s\S]*?<\/form>/g)];
    expect(forms).toHaveLength(3);
    for (const [form, action = ""] of forms) {
      expect(form).toContain('aria-pressed="true"');
      const fields = [...form.matchAll(/name="([^"]+)" value="([^"]+)"/g)].map(([, name, value]) => [
        name,
        value,
      ]);
      const browser = { Accept: "text/html", Host: "almanac.test", Referer: "http://almanac.test/favorites" };
      const sent = agent.post(action).type("form").set(browser).send(Object.fromEntries(fields));
      await sent.expect(303).expect("Location", "/favorites");
    }
    expect((await agent.get("/favorites").expect(200)).text).not.toContain('<form class="favorite"');
  });

  it("shows nobody else's", async () => {
    const [owner, other] = [await site.logIn(), await site.logIn()];
    await toggleFavorite(site.db, owner.id, "server", "busy");
    expect((await other.agent.get("/favorites")).text).not.toContain("/servers/busy");
  });
});
