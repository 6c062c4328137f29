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

/**
 * Looks up what an endpoint says, by a request's path; undefined for a path without one. A path without parameters comes
 * before one with, and otherwise the first that fits.
 */
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
  const open = Map.groupBy(
    endpoints
      .filter((placed) => !isFixed(placed))
      .map((endpoint) => ({ parts: endpoint.path.split("/"), value: read(endpoint) })),
    ({ parts }) => shapeOf(parts),
  );
  return (asked) => {
    const path = asked.length > 1 && asked.endsWith("/") ? asked.slice(0, -1) : asked;
    const known = fixed.get(path);
    if (known !== undefined) return known;
    const parts = path.split("/");
    return open.get(shapeOf(parts))?.find((placed) => fits(placed.parts, parts))?.value;
  };
}

/** The common part of paths that may fit the same pattern: no pattern begins with a parameter. */
function shapeOf({ 1: first, length }: readonly string[]): string {
  return `${length} ${first}`;
}

function fits(parts: readonly string[], asked: readonly string[]): boolean {
  const isSame = (part: string, place: number) =>
    part.startsWith("{") ? asked[place] !== "" : part === asked[place];
  return parts.length === asked.length && parts.every(isSame);
}
