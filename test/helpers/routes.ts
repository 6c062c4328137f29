import type { Express } from "express";

/** What is read of a layer of Express's router (node_modules/router/lib/layer.js). */
interface Layer {
  readonly rawPath: string | string[] | RegExp;
  readonly route?: { readonly path: string | string[] | RegExp };
  readonly handle: { readonly stack?: Layer[] };
}

/** Every path that an app has a route or a mount for, as it was written: `/items/:id`. */
export function routePathsOf(app: Express): string[] {
  return [...new Set(pathsOf(app.router as unknown as { stack: Layer[] }, ""))].sort();
}

function pathsOf({ stack }: { stack: Layer[] }, mount: string): string[] {
  return stack.flatMap(({ rawPath, route, handle }) => {
    const paths = [route?.path ?? rawPath].flat().map((path) => mount + textOf(path));
    if (handle.stack) return paths.flatMap((path) => pathsOf({ stack: handle.stack ?? [] }, path));
    return paths.filter((path) => path !== mount);
  });
}

/** A mount at `/` adds nothing to the paths below it. */
function textOf(path: string | RegExp): string {
  if (typeof path !== "string") throw new Error(`${path}: say here how such a route is asked`);
  return path === "/" ? "" : path;
}
