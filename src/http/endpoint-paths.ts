/** An endpoint as far as its path goes; `{id}` in it stands for one part of an address. */
interface Placed {
  readonly path: string;
}

/** The parameters that a path has: `id` of `/api/items/{id}`. */
export function namesInPath(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** The path as Express wants it: `/api/items/:id`. */
export function routeOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Paths that nothing is read at: pages of other sites cannot ask for them. */
export function closedPaths(endpoints: readonly (Placed & { readonly method: string })[]): string[] {
  const read = new Set(endpoints.filter(({ method }) => method === "GET").map(({ path }) => path));
  return endpoints.map(({ path }) => path).filter((path) => !read.has(path));
}

/** Looks up what an endpoint says, by a request's path; undefined for a path without one. The first that fits counts. */
export function lookUpByPath<Endpoint extends Placed, Value>(
  endpoints: readonly Endpoint[],
  read: (endpoint: Endpoint) => Value,
): (path: string) => Value | undefined {
  const isFixed = ({ path }: Placed) => namesInPath(path).length === 0;
  const fixed = new Map(
    endpoints
      .filter(isFixed)
      .toReversed()
      .map((endpoint) => [endpoint.path, read(endpoint)]),
  );
  const open = endpoints
    .filter((placed) => !isFixed(placed))
    .map((endpoint) => ({ parts: endpoint.path.split("/"), value: read(endpoint) }));
  return (asked) => fixed.get(asked) ?? open.find(({ parts }) => fits(parts, asked.split("/")))?.value;
}

function fits(parts: readonly string[], asked: readonly string[]): boolean {
  const isSame = (part: string, place: number) =>
    part.startsWith("{") ? asked[place] !== "" : part === asked[place];
  return parts.length === asked.length && parts.every(isSame);
}
