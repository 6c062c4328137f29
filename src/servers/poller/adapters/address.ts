/** A host name or IP address (IPv6 without its brackets), and the port where one is given. */
export interface Address {
  readonly host: string;
  readonly port: number | undefined;
}

/** Reads `host`, `host:port`, `[IPv6]:port` or an IPv6 address by itself; undefined: it is none of them. */
export function parseAddress(address: string): Address | undefined {
  const text = address.trim();
  if (/^[\da-f:.]*:[\da-f:.]*:[\da-f:.]*$/i.test(text)) return { host: text, port: undefined };
  const [, bracketed, name, digits] =
    /^(?:\[([\da-f:.]+(?:%\w+)?)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? name;
  const port = digits === undefined ? undefined : Number(digits);
  const isPort = port === undefined || (port >= 1 && port <= 65_535);
  return host !== undefined && isPort ? { host, port } : undefined;
}
