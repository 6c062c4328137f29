import { badInput, HttpError } from "../../web/pages/errors.ts";
import { pastTime } from "../../web/request/params.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";

/** The time at which pages and endpoints show the catalogue; undefined: now. */
export const pastInput = { at: pastTime().optional() };

/** @throws HttpError 400 that names every parameter that does not work with `at`, and an order that does not */
export function refuseBesideAt(
  query: Record<string, unknown>,
  sorts: readonly string[],
  others: string[],
): void {
  const known = new Set(["at", "category", "letter", "sort", ...others]);
  const wrong = Object.keys(query).filter((param) => !known.has(param) && query[param] !== "");
  const { sort = "" } = query;
  const isUnsorted = sort !== "" && !sorts.some((known) => known === sort);
  const values = sorts.join(", ");
  const errors = [
    ...wrong.map((param) => ({ param, message: lazyText("input.not_beside_at") })),
    ...(isUnsorted ? [{ param: "sort", message: lazyText("input.sort_beside_at", { values }) }] : []),
  ];
  if (errors.length > 0) throw badInput(errors);
}

/** 404 for a record that was not there at a time. */
export function notThen(): HttpError {
  return new HttpError("notFound", lazyText("errors.detail.not_then"));
}
