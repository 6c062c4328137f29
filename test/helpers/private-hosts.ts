import type { LookupAddress } from "node:dns";
import { networkInterfaces } from "node:os";

/** A hostile name server's answers for each name: the first time, the second … */
const LIES: Readonly<Record<string, readonly string[][]>> = {
  "loopback.evil.example": [["127.0.0.1"]],
  "six.evil.example": [["::1"]],
  "mapped.evil.example": [["::ffff:127.0.0.1"]],
  "translated.evil.example": [["64:ff9b::7f00:1"]],
  "six-to-four.evil.example": [["2002:7f00:1::"]],
  "metadata.evil.example": [["169.254.169.254"]],
  "carrier.evil.example": [["100.100.100.200"]],
  "azure.evil.example": [["168.63.129.16"]],
  "unspecified.evil.example": [["0.0.0.0"]],
  "one-of-two.evil.example": [["93.184.215.14", "127.0.0.1"]],
  "last-of-three.evil.example": [["2606:2800:21f::1", "93.184.215.14", "::1"]],
  "zone.evil.example": [["fe80::1%lo"]],
  "text.evil.example": [["localhost"]],
  "nobody.evil.example": [[]],
};

export const LYING_NAMES = Object.keys(LIES);

/** Answers like that name server, and records the requested names. */
export function lyingResolver(asked: string[] = []) {
  const left = new Map(Object.entries(LIES));
  return async (host: string): Promise<LookupAddress[]> => {
    asked.push(host);
    const [first = [], ...later] = left.get(host) ?? [];
    if (later.length > 0) left.set(host, later);
    return first.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
}

/** This machine's addresses in its network, as URLs have them. */
const own = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter(({ internal }) => !internal)
  .map(({ address, family }) => (family === "IPv6" ? `[${address.replace(/%.*/, "")}]` : address));

/** Hosts of URLs that are not on the Internet, in every spelling that somebody has tried. */
export const PRIVATE_HOSTS = [
  ...["127.0.0.1", "127.1", "127.0.1", "127.0.0.1.", "127.255.255.254", "2130706433", "0x7f000001"],
  ...["0x7f.0.0.1", "0x7f.1", "0177.0.0.1", "017700000001", "①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1"],
  ...["0.0.0.0", "0", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
  ...["[::7f00:1]", "[::127.0.0.1]", "[::ffff:0:7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]"],
  ...["[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fe80::1]", "[fc00::1]", "[fd12:3456::1]", "[fec0::1]"],
  ...["[ff02::1]", "[ff01::1]", "169.254.169.254", "169.254.1.1", "10.0.0.1", "172.16.0.1", "192.168.0.1"],
  ...["100.64.0.1", "224.0.0.1", "239.255.255.250", "255.255.255.255", "198.18.0.1", "240.0.0.1"],
  ...["168.63.129.16", "[::ffff:168.63.129.16]", "100.100.100.200", "192.0.0.192", "[fd00:ec2::254]"],
  ...["localhost", "LOCALHOST", "localhost.", "any.localhost", "printer.local", "metadata.google.internal"],
  ...own,
  ...LYING_NAMES,
];
