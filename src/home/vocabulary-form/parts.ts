import { type CatalogueKind, catalogueKinds, isCatalogueKind } from "../../words/kinds/kinds.ts";
import type { Paths } from "../../words/urls.ts";
import type { RowKind } from "./fields.ts";

/** The subject of one page of the form: a kind, every kind, or the categories. */
export type Part = { readonly kind: CatalogueKind } | "every-kind" | "categories";

/** The pages of the form; the operator's own kinds have theirs. */
export function listParts(): Part[] {
  return [...catalogueKinds().map((kind) => ({ kind })), "every-kind", "categories"];
}

/** The part in a path; undefined without one. */
export function findPart({ kind }: { kind?: string }): Part | undefined {
  return kind !== undefined && isCatalogueKind(kind) ? { kind } : undefined;
}

/** The path to a part in the file. */
export function rootOf(part: Part): readonly string[] {
  return typeof part === "object" ? ["kinds", part.kind] : [];
}

/** The kinds whose records a part concerns. */
export function listKinds(part: Part): readonly CatalogueKind[] {
  return typeof part === "object" ? [part.kind] : catalogueKinds();
}

export function pathOf(part: Part, paths: Paths): string {
  if (typeof part === "object") return paths.operatorVocabularyKind(part.kind);
  return part === "categories" ? paths.operatorVocabularyCategories() : paths.operatorVocabularyShared();
}

/** The row at a path within a part; undefined if its form has none. */
export function findRowKind(part: Part, path: readonly string[]): RowKind | undefined {
  const [what, , within] = path;
  if (part === "categories") return what === "categories" && path.length === 2 ? "category" : undefined;
  if (path.length === 0 && typeof part === "object") return "kind";
  if (what === "groups" && path.length === 2) return "group";
  if (what !== "attributes") return undefined;
  if (path.length === 2) return "attribute";
  return path.length === 4 && within === "values" ? "value" : undefined;
}
