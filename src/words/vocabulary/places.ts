import type * as jsonc from "jsonc-parser";
import { lazyPackage } from "../../settings/lazy-package.ts";
import type { Translatable } from "../i18n/lazy-text.ts";

export const loadJsonc = lazyPackage<typeof jsonc>("jsonc-parser");

/** What is wrong with a vocabulary, and where: lines and columns from 1. */
export interface Mistake {
  readonly line: number;
  readonly column: number;
  /** Names of the objects that it is in, as in `kinds.items.attributes`. */
  readonly where: string;
  /** What to tell the operator, in any language. */
  readonly message: Translatable;
}

/** A mistake whose place in the text is not known yet. */
export interface FoundMistake {
  readonly path: readonly string[];
  readonly message: Translatable;
}

/** Finds the places of mistakes in the text of a vocabulary. */
export function placeMistakes(source: string, found: readonly FoundMistake[]): Mistake[] {
  if (found.length === 0) return [];
  const root = loadJsonc().parseTree(source, [], { allowTrailingComma: true });
  return found.map(({ path, message }) => {
    const offset = root ? nodeAt(root, path).offset : 0;
    return { ...findLineAndColumn(source, offset), where: path.join("."), message };
  });
}

/** The node of the last step that is there; for a name, the property with it. */
export function nodeAt(root: jsonc.Node, path: readonly (string | number)[]): jsonc.Node {
  for (let length = path.length; length > 0; length--) {
    const node = loadJsonc().findNodeAtLocation(root, path.slice(0, length));
    if (node) return node.parent?.type === "property" ? node.parent : node;
  }
  return root;
}

/** The line and the column of an offset. */
export function findLineAndColumn(source: string, offset: number): { line: number; column: number } {
  const lines = source.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
