import { definitionOf, type ImportKind } from "../kinds.ts";

export interface WriteScope {
  readonly kind: ImportKind;
  /** The columns that the file has; others keep their values. */
  readonly provided: readonly string[];
  /** Marks the records as demo records, and leaves others alone. */
  readonly demo: boolean;
  /** Demo records that the file names become records of the file alone, as if they had not been there. */
  readonly takesOver: boolean;
}

const MEASURED = ["status", "online", "queue"];

/** The columns that the file sets and whose change makes a new revision. */
export function contentOf({ kind, provided }: WriteScope): string[] {
  const { content, whole = [], together = [] } = definitionOf(kind);
  const joint = together.some((column) => provided.includes(column)) ? together : [];
  const decided = [...provided, ...whole, ...joint];
  return Object.keys(content).filter((column) => decided.includes(column));
}

/** True if the file has states of servers, and not only their records. */
export function isMeasured({ provided }: WriteScope): boolean {
  return MEASURED.some((column) => provided.includes(column));
}

/** The columns of a server's state that the file sets; a measurement sets all of its own. */
export function stateOf(scope: WriteScope): string[] {
  if (scope.kind !== "servers") return [];
  const columns = scope.provided.includes("max_online") ? ["max_online"] : [];
  return isMeasured(scope) ? [...MEASURED, ...columns] : columns;
}

/** SQL: whether two rows, by alias, have different content. */
export function contentDiffers(scope: WriteScope, a: string, b: string): string {
  return differs(
    contentOf(scope),
    (column) => `${a}.${column}`,
    (column) => `${b}.${column}`,
  );
}

/**
 * SQL: whether the staged state of a server replaces the known one. A measurement with a time does if it is later or a
 * correction, never if it is older; one without a time does if it differs.
 */
export function stateDiffers(scope: WriteScope, known: string, staged: string): string {
  const columns = stateOf(scope);
  const other = differs(
    columns,
    (column) => `${known}.${column}`,
    (column) => stagedState(staged, column),
  );
  if (!isMeasured(scope)) return other;
  return `case
    when ${staged}.checked_at is null then ${other}
    when ${known}.checked_at is null or ${staged}.checked_at > ${known}.checked_at then true
    when ${staged}.checked_at = ${known}.checked_at then ${other}
    else false end`;
}

/** SQL: the value of a state column in a staged row; a missing status is unknown. */
export function stagedState(staged: string, column: string): string {
  return column === "status" ? `coalesce(${staged}.status, 'unknown')` : `${staged}.${column}`;
}

/** SQL: whether this run makes a demo record the operator's own. */
export function isTakenOver({ takesOver }: WriteScope, known: string): string {
  return takesOver ? `${known}.demo` : "false";
}

/** SQL: whether this run may overwrite a row. */
export function mayWrite({ demo }: WriteScope, known: string): string {
  return demo ? `${known}.demo` : "true";
}

function differs(columns: string[], a: (column: string) => string, b: (column: string) => string): string {
  if (columns.length === 0) return "false";
  return `((${columns.map(a).join(", ")}) is distinct from (${columns.map(b).join(", ")}))`;
}
