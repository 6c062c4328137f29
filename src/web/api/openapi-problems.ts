import type { oas31 } from "zod-openapi";
import { FALLBACK } from "../../words/i18n/languages.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import {
  badInput,
  gone,
  HttpError,
  notFound,
  type ProblemName,
  problemBody,
  searchNotReady,
  toHttpError,
  unauthorized,
} from "../pages/errors.ts";

/** Refusals of each type, as the site makes them. */
const REFUSALS: Record<Exclude<ProblemName, "methodNotAllowed">, () => HttpError> = {
  badInput: () =>
    badInput([{ param: "limit", message: lazyText("input.whole_number", { min: 1, max: 50 }) }]),
  unauthorized: () => unauthorized(lazyText("errors.detail.wrong_key")),
  forbidden: () => new HttpError("forbidden", lazyText("errors.detail.other_site")),
  notFound: () => notFound("entry"),
  gone: () => gone(new Date("2026-11-20T12:00:00Z")),
  preconditionFailed: () => new HttpError("preconditionFailed", lazyText("errors.detail.no_match")),
  keyReused: () => new HttpError("keyReused", lazyText("errors.detail.key_reused")),
  conflict: () => new HttpError("conflict", lazyText("errors.detail.polled")),
  payloadTooLarge: () => new HttpError("payloadTooLarge", lazyText("errors.detail.too_large")),
  unsupportedMediaType: () => new HttpError("unsupportedMediaType", lazyText("errors.detail.charset")),
  tooManyRequests: () =>
    new HttpError(
      "tooManyRequests",
      lazyText("errors.detail.many_calls", { quota: 300, window: 60, wait: 34 }),
      {
        members: { "violated-policies": ["key"] },
      },
    ),
  internal: () => toHttpError(new Error("an example")),
  unavailable: searchNotReady,
};

/** An error answer of each type, by the problem's name. */
export function problemExamples(baseUrl: string): Record<string, oas31.ExampleObject> {
  const requestId = "a4f0004a-ebf1-4715-9699-d88560595aa8";
  return Object.fromEntries(
    Object.entries(REFUSALS).map(([name, refuse]) => [
      name,
      { value: problemBody(refuse(), FALLBACK, baseUrl, requestId) },
    ]),
  );
}

/** A reference to the example of an error answer. */
export function problemExample(name: ProblemName): oas31.ExamplesObject {
  return { [name]: { $ref: `#/components/examples/${name}` } };
}
