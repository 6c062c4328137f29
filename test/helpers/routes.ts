import type { Express } from "express";

/** What is read of a layer of Express's router (node_modules/router/lib/layer.js). */
interface Layer {
  readonly rawPath: string | string[] | RegExp;
  readonly route?: { readonly path: string | string[] | RegExp; readonly methods: Record<string, boolean> };
  readonly handle: { readonly stack?: Layer[] };
}

/** Every path that an app has a route or a mount for, as it was written: `/items/:id`. */
export function routePathsOf(app: Express): string[] {
  return [...routesOf(app).keys()].sort();
}

/** The methods that handlers of each path are for, in lower case; a mount has none. */
export function routesOf(app: Express): Map<string, Set<string>> {
  const routes = new Map<string, Set<string>>();
  for (const [path, methods] of pathsOf(app.router as unknown as { stack: Layer[] }, ""))
    routes.set(path, new Set([...(routes.get(path) ?? []), ...methods]));
  return routes;
}

function pathsOf({ stack }: { stack: Layer[] }, mount: string): [path: string, methods: string[]][] {
  return stack.flatMap(({ rawPath, route, handle }) => {
    const paths = [route?.path ?? rawPath].flat().map((path) => mount + textOf(path));
    if (handle.stack) return paths.flatMap((path) => pathsOf({ stack: handle.stack ?? [] }, path));
    const methods = Object.keys(route?.methods ?? {});
    return paths.filter((path) => path !== mount).map((path) => [path, methods] as [string, string[]]);
  });
}

/** A mount at `/` adds nothing to the paths below it. */
function textOf(path: string | RegExp): string {
  if (typeof path !== "string") throw new Error(`${path}: say here how such a route is asked`);
  return path === "/" ? "" : path;
}
