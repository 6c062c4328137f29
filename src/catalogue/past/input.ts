import { badInput, HttpError } from "../../web/pages/errors.ts";
import { isoTime, pastTime } from "../../web/request/params.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { readIsoTime } from "../../words/text/time.ts";

/** The time at which endpoints show the catalogue; undefined: now. */
export const pastInput = { at: pastTime().optional() };

/** The same for pages. */
export const pastPageInput = { at: timeUntilNow().optional() };

/** A time for pages; a later one means now, because the user's today may not have begun in UTC. */
export function timeUntilNow(readTime = readIsoTime) {
  return isoTime(readTime).transform((time) => (time.getTime() > Date.now() ? new Date() : time));
}

/** @throws HttpError 400 that names every parameter, and an order, that does not work with `at` */
export function refuseBesideAt(
  query: Record<string, unknown>,
  sorts: readonly string[],
  others: string[],
): void {
  const known = [
    "at",
    "category",
    "letter",
    ...others,
    ...(sorts.includes(String(query.sort)) ? ["sort"] : []),
  ];
  const wrong = Object.keys(query).filter((param) => !known.includes(param) && query[param] !== "");
  if (wrong.length > 0)
    throw badInput(wrong.map((param) => ({ param, message: lazyText("input.not_beside", { other: "at" }) })));
}

/** 404 for a record that was not there at a time. */
export function notThen(): HttpError {
  return new HttpError("notFound", lazyText("errors.detail.not_then"));
}
