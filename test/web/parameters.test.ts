import { beforeAll, describe, expect, it } from "vitest";
import { type Agent, useTestApp } from "../helpers/app.ts";

const site = useTestApp();

const ALL = "/api/search";
const ONE_KIND = "/api/items/search";

let visitor: Agent;

beforeAll(async () => {
  visitor = site.agent();
  await visitor.get("/session").expect(200);
});

async function faults(address: string): Promise<string[]> {
  const { body } = await visitor.get(address).expect(400);
  return body.errors.map(({ param }: { param: string }) => param).sort();
}

describe.each([ALL, ONE_KIND])("the parameters of %s", (path) => {
  it("q is required, and blank is an empty answer", async () => {
    expect(await faults(path)).toEqual(["q"]);
    for (const q of ["?q", "?q=", "?q=%20%09"]) {
      const { body } = await visitor.get(path + q).expect(200);
      expect(body.query).toBe("");
    }
  });

  it("q is trimmed, and has 200 code points at most", async () => {
    const astral = encodeURIComponent("😀");
    const { body } = await visitor.get(`${path}?q=%20${astral.repeat(200)}%20`).expect(200);
    expect(body.query).toBe("😀".repeat(200));
    expect(await faults(`${path}?q=${astral.repeat(201)}`)).toEqual(["q"]);
  });

  it("q may hold any bytes but NUL", async () => {
    for (const q of ["%00", "a%00b"]) expect(await faults(`${path}?q=${q}`)).toEqual(["q"]);
    const odd = "%zz %ff %C0%80 %ED%A0%80 %25 _ %5C ' + %2F %F0%9F%98%80 __proto__".split(" ");
    for (const q of odd) await visitor.get(`${path}?q=${q}`).expect(200);
  });

  it("limit is 1 to 50, blank counts as missing", async () => {
    for (const limit of ["1", "50", "", "%20"]) await visitor.get(`${path}?q=a&limit=${limit}`).expect(200);
    for (const limit of ["0", "51", "-1", "1.5", "1e1", "0x10", "ten", "1%00", "99999999999999999999"]) {
      expect(await faults(`${path}?q=a&limit=${limit}`)).toEqual(["limit"]);
    }
  });

  it("a repeated one is refused, also where the values are the same or one is blank", async () => {
    for (const q of ["q=a&q=a", "q=a&q="]) expect(await faults(`${path}?${q}`)).toEqual(["q"]);
  });

  it("reports all errors at once", async () => {
    expect(await faults(`${path}?limit=0`)).toEqual(["limit", "q"]);
  });

  it("unknown ones are ignored, names that every object has included", async () => {
    await visitor.get(`${path}?q=a&__proto__=x&constructor=y&toString=z&q[]=b`).expect(200);
  });

  it("count however many unknown ones come first", async () => {
    const many = "x&".repeat(2000);
    const { body } = await visitor.get(`${path}?${many}q=name`).expect(200);
    expect(body.query).toBe("name");
    expect(await faults(`${path}?${many}q=name&q=name`)).toEqual(["q"]);
  });
});

describe("offset", () => {
  it("is 0 to 1000 in the search of one kind, and ignored in that of all kinds", async () => {
    const path = `${ONE_KIND}?q=a&offset=`;
    for (const offset of ["0", "1000", ""]) await visitor.get(path + offset).expect(200);
    for (const offset of ["-1", "1001", "x"]) expect(await faults(path + offset)).toEqual(["offset"]);
    await visitor.get(`${ALL}?q=a&offset=-1`).expect(200);
  });
});
