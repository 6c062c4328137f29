import type { TEXTS, Translate } from "../../words/i18n/translate.ts";

/** The endpoints' names in the OpenAPI document; each has a text, and its parameters have theirs. */
export type OperationId = keyof typeof TEXTS.docs.endpoint;

/** A kind with an operation that all kinds have. */
export interface OperationKind {
  /** The kind as in paths: `donate-items`. */
  readonly kind: string;
  name(t: Translate): string;
}

/** An operation; `ofKind` is the kind where several kinds have it. */
interface Operation {
  readonly operationId: OperationId;
  readonly ofKind?: OperationKind;
}

/** The name of an operation in the OpenAPI document: `getRecordOfItems` if several kinds have it. */
export function operationName({ operationId, ofKind }: Operation): string {
  if (ofKind === undefined) return operationId;
  const words = ofKind.kind.split(/[-_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${operationId}Of${words.join("")}`;
}

/** The purpose of an operation, in one sentence. */
export function operationSummary({ operationId, ofKind }: Operation, t: Translate): string {
  return t(`docs.endpoint.${operationId}`, { kind: ofKind?.name(t) ?? "" });
}
