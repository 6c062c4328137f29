import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** A key and its certificate, for a server on this machine. */
export interface Certificate {
  readonly key: string;
  /** PEM, to be trusted by whoever is to believe the server. */
  readonly cert: string;
}

const DAY_MS = 86_400_000;

/**
 * A self-signed certificate for 127.0.0.1 and localhost, good for a day. Node makes keys but no certificates, and a
 * test must not need openssl: this writes the few fields of X.509 that a client checks (RFC 5280, section 4.1).
 */
export function selfSigned(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const body = toBeSigned(publicKey);
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, ECDSA_SHA256, tlv(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
  };
}

function toBeSigned(publicKey: KeyObject): Buffer {
  const name = sequence(tlv(0x31, sequence(oid("550403"), tlv(0x0c, Buffer.from("push service of tests")))));
  const validity = sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS));
  const hosts = sequence(tlv(0x87, Buffer.from([127, 0, 0, 1])), tlv(0x82, Buffer.from("localhost")));
  const alternativeNames = sequence(oid("551d11"), tlv(0x04, hosts));
  return sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(alternativeNames)),
  );
}

const ECDSA_SHA256 = sequence(oid("2a8648ce3d040302"));

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, ...parts);
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, "hex"));
}

/** UTCTime, `YYMMDDhhmmssZ`. */
function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]/g, "").slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`));
}

/** Tag, length and value, as DER has it. */
function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}
