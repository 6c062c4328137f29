import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ejs from "ejs";
import type { Expression, Node } from "typescript/unstable/ast";
import {
  isCallExpression,
  isIdentifier,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isSpreadAssignment,
  isStringLiteral,
  isTemplateExpression,
  isVariableDeclaration,
} from "typescript/unstable/ast/is";
import { API, type Checker, type Project, SymbolFlags, type Type } from "typescript/unstable/sync";

export const ROOT = path.join(import.meta.dirname, "../..");
const CONFIG = path.join(ROOT, "tsconfig.json");
const VIEWS_CONFIG = path.join(ROOT, "views/tsconfig.json");

/** "Cannot find name", with and without a suggestion, of `{ name }`, and of a name that is also a type's. */
const UNKNOWN_NAME = [2304, 2552, 2583, 2584, 2693, 18004];

/** What renders a view: where its name and its data are among the arguments, and what is there beside the data. */
const CALLS = {
  renderPage: { view: 2, data: 4, beside: "page" },
  renderPart: { view: 2, data: 3, beside: "locale" },
  renderView: { view: 1, data: 2, beside: "nothing" },
} as const;

/** What one template reads that it does not make itself. */
export interface ViewReads {
  /** The body of the function that it compiles to. */
  script: string;
  /** Names that must be there: reading one that is missing throws. */
  needed: Set<string>;
  /** Names read as `locals.name`, which may be missing. */
  optional: Set<string>;
  includes: { views: string[]; passed: Passed }[];
}

/** The names that an include passes; undefined: an object made elsewhere. */
type Passed = string[] | undefined;

/** One call that renders a view. */
export interface Rendering {
  view: string;
  /** `file:line` of the call. */
  where: string;
  /** Where the data is written; undefined where the call has none. */
  data: { file: string; pos: number; end: number } | undefined;
  beside: (typeof CALLS)[keyof typeof CALLS]["beside"];
  keys: DataKeys;
}

interface DataKeys {
  all: string[];
  /** Those without a question mark: the others may be missing. */
  sure: string[];
}

/** Every template below `views`, by its path without ending. */
export function viewSources(): Map<string, string> {
  const files = readdirSync(path.join(ROOT, "views"), { recursive: true, encoding: "utf8" });
  const views = files.filter((file) => file.endsWith(".ejs")).sort();
  return new Map(
    views.map((file) => [file.slice(0, -4), readFileSync(path.join(ROOT, "views", file), "utf8")]),
  );
}

/** Compiles templates and lets TypeScript find the names that nothing in them declares. */
export function readViews(sources: Map<string, string>): Map<string, ViewReads> {
  const scripts = new Map([...sources].map(([view, source]) => [view, scriptOf(source)]));
  const fileOf = (view: string) => path.join(ROOT, "views", `${view}.ejs.ts`);
  const files = new Map([...scripts].map(([view, script]) => [fileOf(view), wrapped(script)]));
  const compilerOptions = {
    lib: ["ES2023", "ES2024.String"],
    types: [],
    strict: false,
    moduleDetection: "force",
  };
  files.set(VIEWS_CONFIG, JSON.stringify({ compilerOptions, files: [...files.keys()] }));
  return withProject(VIEWS_CONFIG, files, ({ program }) => {
    const read = ([view, script]: [string, string]): [string, ViewReads] => {
      const file = fileOf(view);
      const unknown = program.getSemanticDiagnostics(file).filter(({ code }) => UNKNOWN_NAME.includes(code));
      const nodes = descendants(program.getSourceFile(file));
      const reads = {
        script,
        needed: new Set(unknown.map(({ pos, end }) => wrapped(script).slice(pos, end))),
        optional: new Set(nodes.flatMap(localsRead)),
        includes: nodes.flatMap((node) => includeOf(view, node, [...sources.keys()])),
      };
      return [view, reads];
    };
    return new Map([...scripts].map(read));
  });
}

/** Every call in src that renders a view by its name, and what is there beside its data. */
export function readRenderings(): {
  renderings: Rendering[];
  beside: Record<Rendering["beside"], string[]>;
} {
  return withProject(CONFIG, new Map(), ({ program, checker }) => {
    const sources = program
      .getSourceFileNames()
      .filter((file) => file.startsWith(path.join(ROOT, "src/")))
      .filter((file) => /\brender\w*\(/.test(readFileSync(file, "utf8")));
    const renderings = sources.flatMap((file) => {
      const source = program.getSourceFile(file);
      return descendants(source).flatMap((node) => renderingOf(node, checker, file, source?.text ?? ""));
    });
    const page = descendants(program.getSourceFile(path.join(ROOT, "src/web/pages/page.ts")));
    const keysOfVariable = (name: string) =>
      page
        .filter((node) => isVariableDeclaration(node))
        .filter((node) => isNamed(node.name, name))
        .flatMap((node) => keysOf(checker, checker.getTypeAtLocation(node)).sure);
    return {
      renderings,
      beside: { page: keysOfVariable("common"), locale: keysOfVariable("locale"), nothing: [] },
    };
  });
}

/** The names that a view and what it includes read of the data it is rendered with. */
export function readsOf(views: Map<string, ViewReads>, view: string): Pick<ViewReads, "needed" | "optional"> {
  const own = views.get(view);
  const needed = new Set(own?.needed);
  const optional = new Set(own?.optional);
  for (const { views: included, passed } of own?.includes ?? []) {
    for (const reads of included.map((each) => readsOf(views, each))) {
      const isLeft = (name: string) => !passed?.includes(name);
      // An object made elsewhere may have all of it.
      for (const name of reads.needed) if (isLeft(name)) (passed ? needed : optional).add(name);
      for (const name of reads.optional) if (isLeft(name)) optional.add(name);
    }
  }
  return { needed, optional };
}

function scriptOf(source: string): string {
  const template = new ejs.Template(source, { _with: false, compileDebug: false, strict: true });
  template.compile();
  return template.source;
}

function wrapped(script: string): string {
  return `export default function (locals, escapeFn, include, rethrow) {\n${script}\n}\n`;
}

/** Has TypeScript look at a project, with files in memory before those of the disk. */
export function withProject<Found>(
  config: string,
  files: Map<string, string>,
  look: (project: Project) => Found,
): Found {
  const readFile = (file: string) => files.get(file);
  const fileExists = (file: string) => (files.has(file) ? true : undefined);
  const api = new API({ cwd: ROOT, fs: { readFile, fileExists } });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`TypeScript does not open ${config}`);
    return look(project);
  } finally {
    api.close();
  }
}

function descendants(node: Node | undefined): Node[] {
  if (!node) return [];
  const found: Node[] = [node];
  node.forEachChild((child) => {
    found.push(...descendants(child));
  });
  return found;
}

function localsRead(node: Node): string[] {
  const isRead = isPropertyAccessExpression(node) && isNamed(node.expression, "locals");
  return isRead ? [node.name.text] : [];
}

function includeOf(view: string, node: Node, known: string[]): ViewReads["includes"] {
  if (!isCallExpression(node) || !isNamed(node.expression, "include")) return [];
  const [target, data] = node.arguments;
  return [{ views: targetsOf(view, target, known), passed: data ? passedBy(data) : [] }];
}

/** A path that is put together stands for every view that it may be. */
function targetsOf(view: string, target: Expression | undefined, known: string[]): string[] {
  const folder = path.posix.dirname(view);
  if (target && isStringLiteral(target)) return [path.posix.join(folder, target.text.replace(/\.ejs$/, ""))];
  if (!target || !isTemplateExpression(target)) throw new Error(`${view} includes what nobody can tell`);
  const start = path.posix.join(folder, target.head.text);
  return known.filter((each) => each.startsWith(start));
}

function passedBy(data: Expression): Passed {
  if (!isObjectLiteralExpression(data) || data.properties.some(isSpreadAssignment)) return undefined;
  return data.properties
    .filter((property) => isPropertyAssignment(property) || isShorthandPropertyAssignment(property))
    .map(({ name }) => (isIdentifier(name) || isStringLiteral(name) ? name.text : ""));
}

function renderingOf(node: Node, checker: Checker, file: string, text: string): Rendering[] {
  if (!isCallExpression(node)) return [];
  const call = Object.entries(CALLS).find(([name]) => isNamed(node.expression, name))?.[1];
  const view = call && node.arguments[call.view];
  if (!view || !isStringLiteral(view)) return [];
  const data = node.arguments[call.data];
  return [
    {
      view: view.text,
      where: `${path.relative(ROOT, file)}:${text.slice(0, view.pos).split("\n").length}`,
      data: data && { file, pos: data.pos, end: data.end },
      beside: call.beside,
      keys: data ? keysOf(checker, checker.getTypeAtLocation(data)) : { all: [], sure: [] },
    },
  ];
}

function keysOf(checker: Checker, type: Type | undefined): DataKeys {
  const properties = type ? checker.getPropertiesOfType(type) : [];
  return {
    all: properties.map(({ name }) => name),
    sure: properties.filter(({ flags }) => !(flags & SymbolFlags.Optional)).map(({ name }) => name),
  };
}

function isNamed(node: Node, name: string): boolean {
  return isIdentifier(node) && node.text === name;
}
