import { isIP } from "node:net";
import { domainToASCII, domainToUnicode } from "node:url";

/** RFC 3696, erratum 1690. */
const CHARACTERS_AT_MOST = 254;

/** A dot-atom (RFC 5322, section 3.2.3) of any script (RFC 6531). */
const LOCAL_PART =
  /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+(\.[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+)*$/u;
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

const TYPED_DOMAIN = /^[\w.\u{80}-\u{10ffff}-]+$/u;
const DOMAIN = /^(?=.{1,253}$)[\w-]{1,63}(\.[\w-]{1,63})*$/;

/**
 * A normalised e-mail address, with its domain in lower-case ASCII: mails are counted and accounts found by it. So it
 * refuses everything that mail programs would strip or map (brackets, comments, full-width letters, a trailing dot).
 * Upper case before the @ stays, because servers may distinguish it.
 * @returns undefined if the text cannot be an address
 */
export function mailAddress(typed: string): string | undefined {
  const text = typed.normalize("NFC");
  if (text !== text.normalize("NFKC")) return undefined;
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, Math.max(at, 0)), asciiDomain(text.slice(at + 1))];
  if (domain === undefined || !LOCAL_PART.test(local) || UNSEEN.test(local)) return undefined;
  const address = `${local}@${domain}`;
  return address.length <= CHARACTERS_AT_MOST ? address : undefined;
}

/** Uses the rules of URLs, which read a number as an IPv4 address. Such an address cannot receive mail. */
function asciiDomain(typed: string): string | undefined {
  if (!TYPED_DOMAIN.test(typed)) return undefined;
  const domain = domainToASCII(typed);
  return DOMAIN.test(domain) && isIP(domain) === 0 && !hasBrokenPunycode(domain) ? domain : undefined;
}

/** Node 24 keeps a label that only looks like Punycode; Node 22 refuses it. */
function hasBrokenPunycode(domain: string): boolean {
  return /(^|\.)xn--/.test(domainToUnicode(domain));
}
