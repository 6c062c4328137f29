import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress } from "../../src/web/egress/policy.ts";

/** One or more of each registered range that is not the Internet's. */
const NOT_PUBLIC = [
  ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.0.9", "169.254.169.254"],
  "172.16.0.1",
  ...["172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1"],
  ...["255.255.255.255", "::", "::1", "fc00::1", "fd12::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1"],
  ...["2001:db8::1", "2002:7f00:1::", "100::1", "64:ff9b:1::7f00:1", "::ffff:0:127.0.0.1"],
  ...["::7f00:1", "::127.0.0.1", "4000::1", "2001::1", "3fff::1", "168.63.129.16", "::ffff:168.63.129.16"],
  ...["64:ff9b::a83f:8110", "2606:4700:4700::1111%lo"],
];
const PUBLIC = ["1.1.1.1", "8.8.8.8", "100.63.0.1", "172.32.0.1", "2606:4700:4700::1111"];

describe("isPublicAddress", () => {
  it.each(NOT_PUBLIC)("%s is not", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(PUBLIC)("%s is", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  const NAMES = ["", "localhost", "evil.example", "127.0.0.1.evil.example"];
  it.each([...NAMES, "[::1]", "1.1", "0x01010101", "16843009"])("%j is no address", (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });

  it("an address of IPv4 is what it is in each way to write it as one of IPv6", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const before of ["::ffff:", "64:ff9b::"]) {
          expect(isPublicAddress(before + address), before).toBe(isPublicAddress(address));
        }
      }),
    );
  });
});
