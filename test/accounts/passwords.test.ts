import { createRequire } from "node:module";
import type * as argon2 from "@node-rs/argon2";
import { hash } from "@node-rs/argon2";
import { dictionary } from "@zxcvbn-ts/language-common";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  hashPassword,
  isOutdated,
  PasswordsBusyError,
  verifyPassword,
} from "../../src/accounts/passwords.ts";
import { nameKey } from "../../src/accounts/queries.ts";
import { isCommonPassword } from "../../src/accounts/schemas.ts";
import { networkOf } from "../../src/web/server/client-address.ts";

describe("passwords", () => {
  it("match their own hash and no other's", async () => {
    const hashed = await hashPassword("correct horse");
    expect(await verifyPassword("correct horse", hashed)).toBe(true);
    expect(await verifyPassword("Correct horse", hashed)).toBe(false);
    expect(await verifyPassword("", hashed)).toBe(false);
  });

  it("of nobody never match, after the same work as a wrong one", async () => {
    const verify = vi.spyOn(createRequire(import.meta.url)("@node-rs/argon2") as typeof argon2, "verify");
    onTestFinished(() => verify.mockRestore());
    const hashed = await hashPassword("correct horse");
    expect(await verifyPassword("wrong", hashed)).toBe(false);
    expect(await verifyPassword("wrong", undefined)).toBe(false);
    const [known, unknown] = verify.mock.calls.map(([checked]) => `${checked}`.split("$"));
    expect(unknown?.slice(0, 4)).toEqual(known?.slice(0, 4));
    expect(unknown?.map(({ length }) => length)).toEqual(known?.map(({ length }) => length));
  });

  it("are rehashed if they were hashed with less memory or fewer passes, not otherwise", async () => {
    expect(isOutdated(await hash("x", { memoryCost: 19_456, timeCost: 1, parallelism: 1 }))).toBe(true);
    expect(isOutdated(await hash("x", { memoryCost: 8_192, timeCost: 2, parallelism: 1 }))).toBe(true);
    expect(isOutdated(await hash("x", { memoryCost: 32_768, timeCost: 3, parallelism: 1 }))).toBe(false);
    expect(isOutdated(await hashPassword("x"))).toBe(false);
  });

  it("wait in a line of bounded length: two are hashed, forty wait, the rest are refused at once", async () => {
    const hashed = await hashPassword("correct horse");
    const attempts = Array.from({ length: 60 }, () => verifyPassword("correct horse", hashed));
    const results = await Promise.allSettled(attempts);
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(18);
    expect(refused.every(({ reason }) => reason instanceof PasswordsBusyError)).toBe(true);
    expect(await verifyPassword("correct horse", hashed)).toBe(true);
  });
});

describe("common passwords", () => {
  const commonest = dictionary["passwords-common"];

  it("are those of the list that are long enough: more than the 3,000 commonest of them", () => {
    const usable = commonest.filter((password) => password.length >= 8);
    expect(usable.length).toBeGreaterThan(17_000);
    expect(usable.filter((password) => !isCommonPassword(password))).toEqual([]);
    expect(commonest.filter((password) => password.length < 8 && isCommonPassword(password))).toEqual([]);
  });

  it.each(["password", "PassWord", "ｐａｓｓｗｏｒｄ", "123456789", "iloveyou", "qwertyuiop", "1q2w3e4r"])(
    "are known in every spelling: %s",
    (password) => {
      expect(isCommonPassword(password)).toBe(true);
    },
  );

  it.each(["correct horse", "password of mine", " password", "пароль из трёх слов", "🔑🔑🔑🔑🔑🔑🔑🔑"])(
    "are not %j",
    (password) => {
      expect(isCommonPassword(password)).toBe(false);
    },
  );
});

describe("the key of a name", () => {
  it.each([
    ["Ann Lee", "ann  LEE"],
    ["straße", "STRASSE"],
    ["ΣΊΣΥΦΟΣ", "σίσυφος"],
    ["ｆｕｌｌ", "full"],
    ["a\u00a0b", "a b"],
    ["é", "e\u0301"],
    ["\u01f0", "J\u030c"],
  ])("is the same for %j and %j", (one, other) => {
    expect(nameKey(one)).toBe(nameKey(other));
  });

  it.each([
    ["ann", "anna"],
    ["a b", "ab"],
    ["a_b", "a-b"],
    ["анна", "ahha"],
  ])("differs for %j and %j", (one, other) => {
    expect(nameKey(one)).not.toBe(nameKey(other));
  });

  it("is its own key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (name) => {
        expect(nameKey(nameKey(name))).toBe(nameKey(name));
      }),
    );
  });
});

describe("the network of an address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["unknown", "unknown"],
  ])("%j is %j", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
