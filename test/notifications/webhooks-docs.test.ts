import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  signedHeaders,
  signedPayload,
  webhookSecret,
} from "../../src/notifications/webhooks/signed-message.ts";
import { WEBHOOK_SITE } from "../helpers/webhooks.ts";

const DOCS = readFileSync(path.join(import.meta.dirname, "../../docs/webhooks.md"), "utf8");

const SECRET = webhookSecret("a session secret that only tests know", Buffer.alloc(32, 7));
const BODY = signedPayload({ type: "test", data: {} }, new Date("2026-11-25T12:00:00Z"), WEBHOOK_SITE);

/** The program of the page in a language. */
function program(language: string): string {
  const found = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(DOCS)?.[1];
  if (found === undefined) throw new Error(`no program in ${language}`);
  return found;
}

/** The verdict of the page's program on a message. */
function judge(language: "js" | "python", secret: string, headers: object, body: string): string {
  const given = JSON.stringify({ secret, headers, body });
  const [command, args] =
    language === "js"
      ? [
          process.execPath,
          [
            "--input-type=module",
            "-e",
            `${program("js")}
          const { secret, headers, body } = JSON.parse(process.argv[1]);
          console.log(isGenuine(secret, headers, body));`,
            given,
          ],
        ]
      : [
          "python3",
          [
            "-c",
            `${program("python")}
import json, sys
given = json.loads(sys.argv[1])
print(str(is_genuine(given["secret"], given["headers"], given["body"])).lower())`,
            given,
          ],
        ];
  const { stdout, stderr } = spawnSync(command as string, args as string[], { encoding: "utf8" });
  return `${stdout}${stderr}`.trim();
}

describe.each(["js", "python"] as const)("the program in %s", (language) => {
  const headersAt = (at: Date, secrets: string[]) => signedHeaders({ id: "msg_1", at, body: BODY }, secrets);
  const other = webhookSecret("another secret of a site, of some length", Buffer.alloc(32, 7));

  it("takes a genuine message, also one with two signatures", () => {
    expect(judge(language, SECRET, headersAt(new Date(), [SECRET]), BODY)).toBe("true");
    expect(judge(language, SECRET, headersAt(new Date(), [other, SECRET]), BODY)).toBe("true");
  });

  it("refuses a message that was changed, signed with another secret, or is old", () => {
    const headers = headersAt(new Date(), [SECRET]);
    expect(judge(language, SECRET, headers, BODY.replace("test", "tess"))).toBe("false");
    expect(judge(language, SECRET, { ...headers, "webhook-id": "msg_2" }, BODY)).toBe("false");
    expect(judge(language, SECRET, headersAt(new Date(), [other]), BODY)).toBe("false");
    expect(judge(language, SECRET, headersAt(new Date(Date.now() - 400_000), [SECRET]), BODY)).toBe("false");
  });
});

describe("the example of a discount", () => {
  it("is what is sent", () => {
    const example = JSON.parse(/```json\n(.*?)```/s.exec(DOCS)?.[1] ?? "");
    const item = { id: "vip-gold", name: "VIP Gold", names: {}, picture: null, image: null };
    const discount = {
      ...{ id: "winter-vip", run: 1, title: "Winter sale", titles: { ru: "Зимняя распродажа" } },
      ...{ oldPrice: "100.00", newPrice: "75.00", currency: "EUR", item },
      ...{ startsAt: "2026-11-25T12:00:00.000Z", endsAt: null },
    };
    const site = { ...WEBHOOK_SITE, baseUrl: "https://almanac.example" };
    const event = { type: "discount.started", data: { count: 1, discounts: [discount] } } as const;
    expect(JSON.parse(signedPayload(event, new Date("2026-11-25T12:00:00Z"), site))).toEqual(example);
  });
});
