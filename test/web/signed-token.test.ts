import { describe, expect, it } from "vitest";
import { readToken, signToken } from "../../src/web/session/signed-token.ts";

const SECRET = "a secret of at least 32 characters, say";

describe("a signed token", () => {
  it.each(["42", "", "7:3", "Жанна/?#&\n"])("brings back %j", (value) => {
    const token = signToken(SECRET, "unsubscribe", value);
    expect(token).toMatch(/^[\w-]{43,}$/);
    expect(readToken(SECRET, "unsubscribe", token)).toBe(value);
  });

  it("is the same each time: a link that was mailed stays good", () => {
    expect(signToken(SECRET, "feed", "1")).toBe(signToken(SECRET, "feed", "1"));
  });

  it("is void under another secret, for another purpose and with another value", () => {
    const token = signToken(SECRET, "unsubscribe", "42");
    expect(readToken(`${SECRET}.`, "unsubscribe", token)).toBeUndefined();
    expect(readToken(SECRET, "feed", token)).toBeUndefined();
    const bytes = Buffer.from(token, "base64url");
    const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from("43")]).toString("base64url");
    expect(readToken(SECRET, "unsubscribe", other)).toBeUndefined();
  });

  it("is void with any character changed, added or missing", () => {
    const token = signToken(SECRET, "unsubscribe", "42");
    for (let place = 0; place < token.length; place++) {
      const character = token[place] === "A" ? "B" : "A";
      const changed = token.slice(0, place) + character + token.slice(place + 1);
      expect(readToken(SECRET, "unsubscribe", changed), changed).toBeUndefined();
    }
    for (const changed of [`${token}A`, `${token}=`, `${token}.`, ` ${token}`, token.slice(0, -1), "", "x"]) {
      expect(readToken(SECRET, "unsubscribe", changed), changed).toBeUndefined();
    }
  });

  it("tells purpose and value apart", () => {
    expect(() => signToken(SECRET, "a\nb", "c")).toThrow(RangeError);
  });
});
