import { z } from "zod";
import type { EndpointContext } from "../../web/api/endpoint.ts";
import { text, wholeNumber } from "../../web/request/params.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import { withoutKey } from "../../words/safe-urls.ts";
import { absoluteUrl } from "../../words/urls.ts";
import { fieldsParameter } from "./selection.ts";

/** Records that one answer has at most. */
export const RECORDS_AT_MOST = 200;
const CURSOR_LENGTH = 4_000;
/** A signature of 32 bytes and what it signs, in base64url (see signed-token.ts). */
const CURSOR = "^[A-Za-z0-9_-]{43,}$";
const LANGUAGE_TAG = "^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$";
const TAG_LENGTH = 35;

/** The language of names and texts. */
export const languageTag = text(1, TAG_LENGTH)
  .regex(new RegExp(LANGUAGE_TAG), zodMessage("input.language"))
  .meta({ override: { type: "string", maxLength: TAG_LENGTH, pattern: LANGUAGE_TAG } })
  .optional();

/** What every list takes, for records of a schema. */
export function pageParameters(schema: z.ZodObject) {
  return {
    limit: wholeNumber(1, RECORDS_AT_MOST).default(50),
    cursor: text(1, CURSOR_LENGTH)
      .regex(new RegExp(CURSOR), zodMessage("input.cursor"))
      .meta({ override: { type: "string", maxLength: CURSOR_LENGTH, pattern: CURSOR } })
      .optional(),
    fields: fieldsParameter(schema),
    lang: languageTag,
  };
}

/** The schemas of what every list answers. */
export const pageFields = {
  total: z.int().meta({ description: "The total of all pages." }),
  next: z.url().nullable().meta({ description: "The next page; null on the last one." }),
};

/** The address of the next page, if there is one: the request's own, with the new cursor and without an API key. */
export function nextAddress(
  cursor: string | undefined,
  { url, baseUrl }: Pick<EndpointContext, "url" | "baseUrl">,
): string | null {
  if (cursor === undefined) return null;
  const { pathname, searchParams } = new URL(withoutKey(url), baseUrl);
  searchParams.set("cursor", cursor);
  return absoluteUrl(baseUrl, `${pathname}?${searchParams}`);
}

/** The header that leads to the next page, for programs that follow links (RFC 8288). */
export function linkToNext({ next }: { next: string | null }): Record<string, string> {
  return next === null ? {} : { Link: `<${next}>; rel="next"` };
}
