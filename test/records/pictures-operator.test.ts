import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import sharp from "sharp";
import request from "supertest";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { keep, Pictures } from "../../src/records/pictures/collect.ts";
import { DatabaseStore } from "../../src/records/pictures/store.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { emptyTables, openTransaction, waitForLocks } from "../helpers/database.ts";
import { mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();
const PAGE = "/operator/pictures/items/ak";
let agent: Agent;
let name: string;

beforeAll(async () => {
  ({ agent, name } = await site.logIn(await site.createUser({ role: "operator" })));
});

beforeEach(async () => {
  await emptyTables(site.db, "items, donate_items, picture_uploads");
  await importRecords(site.db, "items", [
    { id: "ak", name: "AK-47", names: { ru: "Автомат" } },
    { id: "a/b c", name: "Path" },
  ]);
  await importRecords(site.db, "donate-items", [{ id: "gold", name: "Gold", price: 5, currency: "EUR" }]);
});

function square(colour: string, side = 100) {
  return sharp({ create: { width: side, height: side, channels: 4, background: colour } });
}

const png = (colour: string, side?: number) => square(colour, side).png().toBuffer();

/** Two frames, shown one after the other. */
async function animated(format: "gif" | "webp"): Promise<Buffer> {
  const frames = await Promise.all(["red", "blue"].map((colour) => png(colour)));
  const joined = sharp(frames, { join: { animated: true } });
  return joined.toFormat(format).toBuffer();
}

const upload = (bytes: Buffer, name: string, page = PAGE, by = agent) =>
  by.post(page).attach("file", bytes, { filename: name });

const pictureOf = async (table = "items", id = "ak") =>
  (await site.db(table).where({ id }).first())?.picture as string | null;

async function refusal(bytes: Buffer, name: string, status = 400): Promise<string> {
  const { text } = await upload(bytes, name).expect(status);
  expect(await pictureOf()).toBeNull();
  return textOf(mainOf(text));
}

describe("an upload", () => {
  it.each(["png", "avif"] as const)(
    "takes %s, shows it, and changes the record's pages at once",
    async (format) => {
      expect(await site.page("/items/ak")).not.toContain("/pictures/");
      const picture = await square("#b3341b").toFormat(format).toBuffer();
      await upload(picture, `ak.${format}`).expect(303).expect("Location", PAGE);
      const shown = await agent.get(PAGE).expect(200);
      expect(textOf(mainOf(shown.text))).toContain("AK-47");
      const [, name] = /\/pictures\/([0-9a-f]{32})-640\.webp/.exec(shown.text) ?? [];
      expect(await pictureOf()).toBe(`${name}_100x100`);
      await request(site.app)
        .get(`/pictures/${name}-64.webp`)
        .expect(200)
        .expect("Content-Type", "image/webp");
      expect(await site.page("/items/ak")).toContain(`/pictures/${name}-640.webp`);
      expect(await site.page("/items")).toContain(`/pictures/${name}-32.webp`);
      await site.search.refresh();
      const found = await agent.get("/api/items/search?q=ak").expect(200);
      expect(found.body.results[0].image_url).toContain(`/pictures/${name}-128.webp`);
    },
  );

  it("takes one for an item of the shop, and for an id with a slash", async () => {
    await upload(await png("green"), "gold.png", "/operator/pictures/shop/gold").expect(303);
    expect(await pictureOf("donate_items", "gold")).toMatch(/_100x100$/);
    expect(await site.page("/donate/gold")).toMatch(/\/pictures\/[0-9a-f]{32}-640\.webp/);
    await upload(await png("green"), "x.png", "/operator/pictures/items/a%2Fb%20c").expect(303);
    expect(await pictureOf("items", "a/b c")).toMatch(/_100x100$/);
  });

  it.each([
    ["has logged out", "/login", (id: number) => site.db("sessions").where({ user_id: id }).delete()],
    [
      "is no longer an operator",
      403,
      (id: number) => site.db("users").where({ id }).update({ role: "user" }),
    ],
  ])("changes nothing if its sender %s by the time the picture is drawn", async (_how, outcome, end) => {
    const sender = await site.logIn(await site.createUser({ role: "operator" }));
    const lock = await openTransaction(site.db);
    await lock.raw("lock table picture_files in share mode");
    const picture = await png(outcome === 403 ? "teal" : "navy");
    const sending = upload(picture, "ak.png", PAGE, sender.agent).then(
      ({ status, headers }) => headers.location?.split("?")[0] ?? status,
    );
    await waitForLocks(site.db, 1);
    await end(sender.id);
    await lock.rollback();
    expect(await sending).toBe(outcome);
    expect(await pictureOf()).toBeNull();
  });

  it("is a new revision, and none if it is the same picture again", async () => {
    const revision = async () => (await site.db("items").where({ id: "ak" }).first()).revision;
    await upload(await png("red"), "ak.png").expect(303);
    expect(await revision()).toBe(2);
    await upload(await png("red"), "other.png").expect(303);
    expect(await revision()).toBe(2);
  });

  it("appears in the record's history with its operator", async () => {
    await upload(await png("red"), "ak.png").expect(303);
    const { text } = await agent.get("/operator/records/items/ak/history").expect(200);
    expect(textOf(mainOf(text))).toContain(`${name} `);
    expect(textOf(mainOf(text))).not.toContain("Import");
  });

  it("is linked from the record's page for operators only", async () => {
    const link = `href="${PAGE}"`;
    expect((await agent.get("/items/ak")).text).toContain(link);
    expect((await agent.get("/donate/gold")).text).toContain('href="/operator/pictures/shop/gold"');
    expect(await site.page("/items/ak")).not.toContain(link);
    const user = await site.logIn();
    expect((await user.agent.get("/items/ak")).text).not.toContain(link);
    await user.agent.get(PAGE).expect(403);
    await upload(await png("red"), "ak.png", PAGE, user.agent).expect(403);
    await request(site.app).get(PAGE).expect(303);
    const visitor = request(site.app)
      .post(PAGE)
      .attach("file", await png("red"), "ak.png");
    expect((await visitor.expect(303)).headers.location).toContain("/login");
    expect(await pictureOf()).toBeNull();
  });
});

describe("a refused upload", () => {
  it("is answered with the file's name and the reason", async () => {
    const whole = await png("red");
    const raw = { width: 300, height: 300, channels: 3 } as const;
    const grain = Buffer.alloc(300 * 300 * 3, 0).map((_, at) => (at * 7919) % 251);
    const noise = await sharp(grain, { raw }).png().toBuffer();
    expect(await refusal(Buffer.from("<h1>Hi</h1>"), "page.png")).toContain("page.png isn’t a PNG, JPEG,");
    expect(await refusal(Buffer.from("MZ\x90"), "setup.exe")).toContain("setup.exe isn’t a PNG, JPEG,");
    expect(await refusal(whole, "ak.svg")).toContain("ak.svg is PNG, but its name ends in .svg.");
    expect(await refusal(noise.subarray(0, noise.length / 2), "half.png")).toContain("half.png is damaged.");
    expect(await refusal(Buffer.alloc(0), "none.png")).toContain("none.png is empty.");
    expect(await refusal(await animated("gif"), "dance.gif")).toContain("dance.gif is animated;");
    expect(await refusal(await animated("webp"), "dance.webp")).toContain("dance.webp is animated;");
    const red = { width: 9_000, height: 10, channels: 3, background: "red" } as const;
    const wide = await sharp({ create: red }).png().toBuffer();
    expect(await refusal(wide, "wide.png")).toContain("wide.png is 9000 × 10 pixels;");
    const script = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    expect(await refusal(script, "s.svg")).toContain("s.svg is an SVG with a script.");
    const large = await refusal(Buffer.alloc(21 * 1024 * 1024, 1), "big.png", 413);
    expect(large).toContain("big.png is 21 MB; the limit is 20.");
  });

  it("is explained in Russian, without the folders and invisible characters of a name", async () => {
    const { text } = await upload(Buffer.from("x"), "C:\\tmp\\<b>\u202egnp.png", `/ru${PAGE}`).expect(400);
    expect(textOf(mainOf(text))).toContain("<b>gnp.png: это не картинка PNG");
    expect(text).not.toContain("<b>gnp");
    expect(text).toMatch(/<input type="file"[^>]* aria-invalid="true"/);
  });

  it("keeps the picture that there is", async () => {
    await upload(await png("red"), "ak.png").expect(303);
    const kept = await pictureOf();
    await upload(Buffer.from("no"), "ak.png").expect(400);
    expect(await pictureOf()).toBe(kept);
  });

  it("needs a file to be chosen", async () => {
    const { text } = await agent.post(PAGE).attach("file", Buffer.alloc(0), { filename: "" }).expect(400);
    expect(textOf(mainOf(text))).toContain("Choose a file first.");
    await agent.post(PAGE).field("other", "x").expect(400);
  });

  it("may have another body, more parts than the form, or no record", async () => {
    await agent.post(PAGE).type("form").send({ file: "x" }).expect(415);
    await agent.post(PAGE).send({ file: "x" }).expect(415);
    await agent.post(PAGE).set("Content-Type", "multipart/form-data").send("x").expect(400);
    const broken = agent.post(PAGE).set("Content-Type", "multipart/form-data; boundary=b");
    await broken.send("--b\r\nbroken").expect(400);
    const one = agent.post(PAGE).attach("file", await png("red"), "a.png");
    const two = one.attach("file", await png("red"), "b.png");
    await two.expect(400);
    let many = agent.post(PAGE);
    for (let at = 0; at < 20; at++) many = many.field(`f${at}`, "x");
    await many.expect(400);
    await upload(await png("red"), "a.png", "/operator/pictures/items/nobody").expect(404);
    await upload(await png("red"), "a.png", "/operator/pictures/servers/ak").expect(404);
    await agent.put(PAGE).expect(405);
    const foreign = upload(await png("red"), "a.png").set("Sec-Fetch-Site", "cross-site");
    await foreign.expect(403);
    expect(await pictureOf()).toBeNull();
  });
});

describe("a hostile body", () => {
  let server: Server;
  let cookie: string;
  beforeAll(async () => {
    server = createServer(site.app).listen(0, "127.0.0.1");
    const { name, password } = await site.createUser({ role: "operator" });
    const sent = await request(site.app).post("/login").type("form").send({ name, password });
    cookie = (sent.get("Set-Cookie") ?? []).map((each) => each.split(";")[0]).join("; ");
  });
  afterAll(() => server.close());

  /** Sends the head, and writes until it is answered. */
  function send(length: string, write: (socket: ReturnType<typeof connect>) => void): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
      let answer = "";
      socket.on("data", (data) => {
        answer += data;
        if (answer.includes("\r\n\r\n")) socket.destroy();
      });
      // A write after the answer fails, as in any client.
      socket.on("error", () => undefined).on("close", () => resolve(answer));
      socket.write(
        `POST ${PAGE} HTTP/1.1\r\nHost: almanac.test\r\nCookie: ${cookie}\r\nContent-Type: multipart/form-data; boundary=b\r\n${length}\r\n\r\n`,
      );
      write(socket);
    });
  }

  it("of a gigabyte is refused before it is sent, and the site answers meanwhile", async () => {
    const answer = await send("Content-Length: 1000000000", () => undefined);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    await request(site.app).get("/items/ak").expect(200);
  });

  it("without a length is cut off after the limit", async () => {
    let sent = 0;
    const chunk = Buffer.alloc(1024 * 1024, 65);
    const answer = await send("Transfer-Encoding: chunked", (socket) => {
      const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
      socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);
      const more = () => {
        if (socket.destroyed || ++sent > 1_000) return;
        socket.write(`${chunk.length.toString(16)}\r\n`);
        socket.write(chunk);
        socket.write("\r\n", () => setImmediate(more));
      };
      more();
    });
    // A client that goes on sending may lose the answer.
    expect(answer === "" || /^HTTP\/1\.1 413 /.test(answer)).toBe(true);
    expect(sent).toBeLessThan(200);
    expect(await pictureOf()).toBeNull();
  });
});

describe("removing a picture", () => {
  const seenOn = async () => /name="seen" value="([^"]+)"/.exec((await agent.get(PAGE)).text)?.[1];
  const remove = (seen: unknown) => agent.post(`${PAGE}/remove`).type("form").send({ seen });

  it("removes the picture that the operator saw", async () => {
    await upload(await png("red"), "ak.png").expect(303);
    await remove(await seenOn()).expect(303);
    expect(await pictureOf()).toBeNull();
    expect(await seenOn()).toBeUndefined();
    expect(await site.page("/items/ak")).not.toContain("/pictures/");
  });

  it("keeps one that somebody else uploaded meanwhile", async () => {
    await upload(await png("red"), "ak.png").expect(303);
    const seen = await seenOn();
    await upload(await png("blue"), "ak.png").expect(303);
    const kept = await pictureOf();
    const { text } = await remove(seen).expect(409);
    expect(textOf(mainOf(text))).toContain("Someone else has changed the picture in the meantime");
    expect(await pictureOf()).toBe(kept);
  });
});

describe("an import after an upload", () => {
  const records = [{ id: "ak", name: "AK-47", names: { ru: "Автомат" } }];
  const store = () => new DatabaseStore(site.db);
  const importWith = async (bytes: Buffer) => {
    const pictures = new Pictures(new Map([["ak", await keep(bytes, "ak.png", store())]]));
    return importRecords(site.db, "items", records, { pictures });
  };

  it("keeps the upload, without pictures or with those that the upload replaced", async () => {
    await importWith(await png("white"));
    const imported = await pictureOf();
    await upload(await png("red"), "ak.png").expect(303);
    await upload(await png("orange"), "ak.png").expect(303);
    const kept = await pictureOf();
    expect(kept).not.toBe(imported);
    expect(await importRecords(site.db, "items", records)).toMatchObject({ unchanged: 1, changed: 0 });
    expect(await importWith(await png("white"))).toMatchObject({ unchanged: 1, changed: 0 });
    expect(await pictureOf()).toBe(kept);
  });

  it("takes another picture", async () => {
    await importWith(await png("white"));
    await upload(await png("red"), "ak.png").expect(303);
    const uploaded = await pictureOf();
    expect(await importWith(await png("black"))).toMatchObject({ unchanged: 0, changed: 1 });
    expect(await pictureOf()).not.toBe(uploaded);
    // The upload is over: the old picture is one like any other now.
    expect(await importWith(await png("white"))).toMatchObject({ changed: 1 });
  });

  it("restores no picture that an operator removed", async () => {
    await importWith(await png("white"));
    const seen = await pictureOf();
    await agent.post(`${PAGE}/remove`).type("form").send({ seen }).expect(303);
    expect(await importWith(await png("white"))).toMatchObject({ unchanged: 1, changed: 0 });
    expect(await pictureOf()).toBeNull();
  });
});
