import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { formatFor } from "../../src/web/request/format.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";
import { type Moment, readLocalTime, readTimeIn, toLocalTime } from "../../src/words/text/local-times.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { formOf } from "../helpers/discount-form.ts";
import { addItem } from "../helpers/donate.ts";
import { mainOf, plainSpaces, textOf } from "../helpers/html.ts";

/** Edges of clocks, in a year that no test will see: what clocks show, and the moment that it is. */
const EDGES = [
  // Forward at 02:00 on 27 March, back at 03:00 on 30 October.
  ["Europe/Berlin", "2095-03-27T01:59", "2095-03-27T00:59:00.000Z"],
  ["Europe/Berlin", "2095-03-27T03:00", "2095-03-27T01:00:00.000Z"],
  ["Europe/Berlin", "2095-10-30T01:59", "2095-10-29T23:59:00.000Z"],
  ["Europe/Berlin", "2095-10-30T03:00", "2095-10-30T02:00:00.000Z"],
  // By half an hour: back at 02:00 on 3 April, forward at 02:00 on 2 October.
  ["Australia/Lord_Howe", "2095-04-03T01:29", "2095-04-02T14:29:00.000Z"],
  ["Australia/Lord_Howe", "2095-04-03T02:00", "2095-04-02T15:30:00.000Z"],
  ["Australia/Lord_Howe", "2095-10-02T01:59", "2095-10-01T15:29:00.000Z"],
  ["Australia/Lord_Howe", "2095-10-02T02:30", "2095-10-01T15:30:00.000Z"],
  // Another day than that of UTC, before and after the turn of the year.
  ["Asia/Kathmandu", "2095-01-01T05:44", "2094-12-31T23:59:00.000Z"],
  ["Asia/Kathmandu", "2095-01-01T05:45", "2095-01-01T00:00:00.000Z"],
  ["Pacific/Kiritimati", "2095-01-01T00:00", "2094-12-31T10:00:00.000Z"],
  ["UTC", "2096-02-29T23:59", "2096-02-29T23:59:00.000Z"],
] as const;

/** Shown twice: the first time is what is meant, the second one an hour (or half) later. */
const REPEATED = [
  ["Europe/Berlin", "2095-10-30T02:30", "2095-10-30T00:30:00.000Z", 60],
  ["America/New_York", "2095-11-06T01:00", "2095-11-06T05:00:00.000Z", 60],
  ["Australia/Lord_Howe", "2095-04-03T01:45", "2095-04-02T14:45:00.000Z", 30],
] as const;

const MISSING = [
  ["Europe/Berlin", "2095-03-27T02:00", "clocks there go from 02:00 to 03:00"],
  ["America/New_York", "2095-03-13T02:30", "clocks there go from 02:00 to 03:00"],
  ["Australia/Lord_Howe", "2095-10-02T02:29", "clocks there go from 02:00 to 02:30"],
  ["Pacific/Apia", "2011-12-30T10:00", "clocks there go from 2011-12-30 00:00 to 2011-12-31 00:00"],
] as const;

describe("a local time", () => {
  it.each(EDGES)("in %s %s is %s", (zone, text, moment) => {
    expect(readLocalTime(text, zone)).toEqual({ at: new Date(moment), isRepeated: false });
    expect(toLocalTime(new Date(moment), zone)).toBe(text);
  });

  it.each(REPEATED)("that clocks in %s show twice (%s) is the first: %s", (zone, text, moment, minutes) => {
    expect(readLocalTime(text, zone)).toEqual({ at: new Date(moment), isRepeated: true });
    const second = new Date(Date.parse(moment) + minutes * 60_000);
    expect([toLocalTime(new Date(moment), zone), toLocalTime(second, zone)]).toEqual([text, text]);
  });

  it.each(MISSING)("that clocks in %s never show (%s) is refused", (zone, text, reason) => {
    expect(errorOf(readLocalTime(text, zone))).toBe(`does not exist in ${zone}: ${reason}`);
  });

  const IMPOSSIBLE = ["", "2095-02-29T12:00", "2095-13-01T12:00", "2095-01-01T24:30", "2095-02-29"];
  it.each([...IMPOSSIBLE, "2095-1-1", "12:00", "2095-1-1T1:00"])("%j is not a time", (text) => {
    expect(errorOf(readLocalTime(text, "UTC"))).toContain("must be a date and a time");
    expect(readTimeIn(text, undefined).at).toBeUndefined();
  });

  it.each([
    ["Europe/Berlin", "2095-03-27", "2095-03-26T23:00:00.000Z", "2095-03-27T21:59:59.999Z"],
    ["Asia/Kathmandu", "2095-01-01", "2094-12-31T18:15:00.000Z", "2095-01-01T18:14:59.999Z"],
    // Clocks go forward at midnight there, so the day begins at one.
    ["America/Santiago", "2025-09-07", "2025-09-07T04:00:00.000Z", "2025-09-08T02:59:59.999Z"],
    ["UTC", "9999-12-31", "9999-12-31T00:00:00.000Z", "9999-12-31T23:59:59.999Z"],
  ])("of a day in %s (%s) is its start, or its end", (zone, text, start, end) => {
    expect(readLocalTime(text, zone, "start").at?.toISOString()).toBe(start);
    expect(readTimeIn(text, zone, "end").at?.toISOString()).toBe(end);
  });

  it("with an offset needs no zone, and heeds none", () => {
    const at = new Date("2095-03-27T00:30:00Z");
    for (const text of ["2095-03-27T02:30+02:00", "2095-03-27 00:30:00Z", "2095-03-27T06:15:00.000+05:45"]) {
      expect(readTimeIn(text, undefined)).toEqual({ at, isRepeated: false });
      expect(readTimeIn(text, "Europe/Berlin")).toEqual({ at, isRepeated: false });
    }
    expect(errorOf(readTimeIn("2095-03-27T00:30", undefined))).toContain("has no time zone");
  });
});

describe("what an operator types, what is stored and what the pages show", () => {
  const site = useTestApp();
  let agent: Agent;

  beforeAll(async () => {
    ({ agent } = await site.logIn(await site.createUser({ role: "operator" })));
  });

  beforeEach(async () => {
    await site.db.raw("truncate donate_items cascade");
    await addItem(site.db, { id: "gold" });
  });

  const NEW = "/operator/new-discount";

  async function plan(zone: string, starts: string, ends: string): Promise<string> {
    await site.db("users").update({ time_zone: zone });
    const terms = { item: "gold", title: "", kind: "percent", amount: "10", announced: "yes" };
    const fields = { ...terms, starts, ends, zone, step: "preview" };
    return (await agent.post(NEW).type("form").send(fields).expect(200)).text;
  }

  async function save(path: string, preview: string) {
    const fields = { ...formOf(preview), step: "save" };
    await agent.post(path).type("form").send(fields).expect(303);
    return site.db("discounts").first();
  }

  /** One edge of each zone: the reading of local times is tested with all of them above. */
  const FIRST_EDGES = EDGES.filter(([zone], at) => EDGES.findIndex(([other]) => other === zone) === at);

  /** `27 Mar 2095, 01:59` of `2095-03-27T01:59`, made without a time zone. */
  function written(local: string): string {
    const [date = "", clock] = local.split("T");
    const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
    return `${day.format(new Date(`${date}T00:00:00Z`))}, ${clock}`;
  }

  it.each(FIRST_EDGES)("agree in %s at %s", async (zone, text, moment) => {
    const end = new Date(Date.parse(moment) + 150 * 60_000);
    const preview = await plan(zone, text, toLocalTime(end, zone));
    const shown = textOf(mainOf(preview));
    expect(shown).toContain(written(text));
    expect(shown).toContain(written(toLocalTime(end, zone)));
    expect(shown).toContain(plainSpaces(formatFor("en", undefined).time(moment)));
    expect(shown).toContain("Length 2 h 30 min");
    const stored = await save(NEW, preview);
    expect(stored).toMatchObject({ starts_at: new Date(moment), ends_at: end });
    for (const path of ["/donate/gold", "/operator/discounts"]) {
      const page = textOf(mainOf((await agent.get(path).expect(200)).text));
      expect(page, path).toContain(written(text));
      expect(page, path).toContain(written(toLocalTime(end, zone)));
    }
    const form = await agent.get(`/operator/discounts/${stored.id}`).expect(200);
    expect(formOf(form.text)).toMatchObject({ starts: text, ends: toLocalTime(end, zone), zone });
  });

  it.each(REPEATED)(
    "agree in %s on %s, which is the first of two, and stays what it is",
    async (zone, text, moment, minutes) => {
      const preview = await plan(zone, text, toLocalTime(new Date(Date.parse(moment) + 86_400_000), zone));
      expect(textOf(mainOf(preview))).toContain(`This time occurs twice in ${zone}; the first one is used.`);
      const { id, starts_at } = await save(NEW, preview);
      expect(starts_at).toEqual(new Date(moment));
      // The second of the two reads the same: a form that is saved as it was must not make the first of it.
      const second = new Date(Date.parse(moment) + minutes * 60_000);
      await site.db("discounts").update({ starts_at: second });
      const path = `/operator/discounts/${id}`;
      const fields = { ...formOf((await agent.get(path).expect(200)).text), title: "New", step: "preview" };
      const again = await agent.post(path).type("form").send(fields).expect(200);
      expect(await save(path, again.text)).toMatchObject({ title: "New", starts_at: second });
    },
  );

  it("end on a day at its end", async () => {
    const { starts_at, ends_at } = await save(NEW, await plan("Asia/Kathmandu", "2095-01-01", "2095-01-01"));
    expect(starts_at.toISOString()).toBe("2094-12-31T18:15:00.000Z");
    expect(ends_at.toISOString()).toBe("2095-01-01T18:14:59.999Z");
  });

  it("explain a day that is shorter or longer than others", async () => {
    const shown = async (zone: string, starts: string, ends: string) =>
      textOf(mainOf(await plan(zone, starts, ends)));
    const spring = await shown("Europe/Berlin", "2095-03-26T12:00", "2095-03-27T12:00");
    expect(spring).toContain("Length 23 h Clocks in Europe/Berlin go forward by 1 h in between.");
    const autumn = await shown("Europe/Berlin", "2095-10-29T12:00", "2095-10-30T12:00");
    expect(autumn).toContain("Length 1 day 1 h Clocks in Europe/Berlin go back by 1 h in between.");
    const half = await shown("Australia/Lord_Howe", "2095-10-01T12:00", "2095-10-02T12:00");
    expect(half).toContain(
      "Length 23 h 30 min Clocks in Australia/Lord_Howe go forward by 30 min in between.",
    );
    expect(await shown("Asia/Kathmandu", "2095-03-26T12:00", "2095-03-27T12:00")).not.toContain("Clocks");
  });
});

/** Why there is no such time, in English. */
function errorOf({ error }: Moment): string | undefined {
  return error && translateText(error);
}
