import request from "supertest";
import { expect, it } from "vitest";
import { useTestApp } from "./helpers/app.ts";
import { insertRecords } from "./helpers/catalogue.ts";

const site = useTestApp();

it("says the language of a demo record's texts, and of no others", async () => {
  const texts = { description: "A plain knife.", category: "Weapons" };
  await insertRecords(site.db, "items", [
    { id: "demo", ...texts, demo: true },
    { id: "real", ...texts },
  ]);
  const [demo, real] = await Promise.all(
    ["demo", "real"].map(async (id) => (await request(site.app).get(`/ru/items/${id}`).expect(200)).text),
  );
  expect(demo).toContain('<p class="description" lang="en">A plain knife.</p>');
  expect(demo).toContain('lang="en">Weapons</a>');
  expect(real).toContain('<p class="description">A plain knife.</p>');
  expect(real).not.toContain('lang="en">Weapons</a>');
});
