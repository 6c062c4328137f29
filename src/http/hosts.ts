/** Whether an address is on a host of a setting: `host`, `host:port` or `*.domain`. 443 is the port where none is written. */
export function isOnHost({ host }: URL, named: string): boolean {
  const wanted = named.replace(/:443$/, "");
  return wanted.startsWith("*.")
    ? host.length >= wanted.length && host.endsWith(wanted.slice(1))
    : host === wanted;
}
