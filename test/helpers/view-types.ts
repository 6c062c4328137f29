import { readFileSync } from "node:fs";
import path from "node:path";
import { type Rendering, ROOT, type ViewReads, withProject } from "./views.ts";

const CONFIG = path.join(ROOT, "tsconfig.views.json");

/** "Property does not exist", with and without a suggestion. */
const UNKNOWN_PROPERTY = [2339, 2551];

/** For files that render: gives a view's script the type of the data that it is rendered with. */
const VIEWED = `
type BesideData = import("${ROOT}/src/web/request/locale.ts").Locale
  & Pick<import("express").Request, "site" | "viewer"> & Record<string, any>;
declare function viewed<Data extends object>(
  data: Data,
  view: (data: Data, beside: BesideData, escapeFn: (value: unknown) => string, include: any, locals: any) => string,
): Data & Record<string, unknown>;
`;

/**
 * The properties that views read but the type of their data does not have. Each view's script is put beside the data
 * of the call that renders it, so that TypeScript checks one with the inferred type of the other.
 */
export function unknownProperties(views: Map<string, ViewReads>, renderings: Rendering[]): string[] {
  const rendered = renderings.filter(({ beside, data }) => data && beside !== "nothing");
  const files = new Map(rendered.map(({ data }) => [data?.file ?? "", ""]));
  for (const file of files.keys()) {
    const text = rendered
      .filter(({ data }) => data?.file === file)
      .sort((a, b) => (b.data?.pos ?? 0) - (a.data?.pos ?? 0))
      .reduce((source, rendering) => withView(source, views, rendering), readFileSync(file, "utf8"));
    files.set(file, text + VIEWED);
  }
  const compilerOptions = { noImplicitAny: false, noUncheckedIndexedAccess: false };
  const config = { extends: "./tsconfig.json", compilerOptions, include: ["src"] };
  const overlay = new Map([...files, [CONFIG, JSON.stringify(config)]]);
  return withProject(CONFIG, overlay, ({ program }) =>
    [...files].flatMap(([file, source]) =>
      program
        .getSemanticDiagnostics(file)
        .filter(({ code }) => UNKNOWN_PROPERTY.includes(code))
        .map(({ pos, text }) => `${path.relative(ROOT, file)}: ${text} ${lineAt(source, pos)}`),
    ),
  );
}

function withView(source: string, views: Map<string, ViewReads>, { view, data, keys }: Rendering): string {
  const { script = "", needed = [] } = views.get(view) ?? {};
  const { pos, end } = data ?? { pos: 0, end: 0 };
  const names = [...needed];
  const own = names.filter((name) => keys.all.includes(name));
  const beside = names.filter((name) => !keys.all.includes(name));
  const body = script.replace("function __append(s)", "function __append(s: unknown)");
  const check = `({ ${own} }, { ${beside} }, escapeFn, include, locals) => {\n${body}\n}`;
  return `${source.slice(0, pos)} viewed(${source.slice(pos, end)}, ${check})${source.slice(end)}`;
}

function lineAt(source: string, pos: number): string {
  const start = source.lastIndexOf("\n", pos) + 1;
  return source.slice(start, source.indexOf("\n", pos)).trim();
}
