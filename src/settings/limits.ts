import { z } from "zod";
import { wholeNumber } from "./values.ts";

/** How many requests a client may make within `windowS` seconds; 0: any number. */
export interface Limits {
  /** All API keys of one user together. */
  readonly key: number;
  /** To the API from one address, without a key or a session. */
  readonly address: number;
  /** To the API in one visitor's session, and of one logged-in user. */
  readonly session: number;
  /** Pages and feeds for one address, with what visitors' pages ask of the API, and for one logged-in user. */
  readonly pages: number;
  readonly windowS: number;
}

/** No limit at all. */
export const NO_LIMITS: Limits = { key: 0, address: 0, session: 0, pages: 0, windowS: 60 };

const quota = () => wholeNumber(0, 1_000_000);

/** The settings of limits. */
export const limitSettings = {
  API_KEY_LIMIT: quota().default(300).meta({
    description:
      "API calls a minute with all keys of one user together. For this and the next three, `0` means no limit ([limits.md](limits.md)).",
  }),
  API_ADDRESS_LIMIT: quota().default(60).meta({
    description: "API calls a minute from one address without a key.",
  }),
  API_SESSION_LIMIT: quota().default(600).meta({
    description: "API calls a minute in one visitor's session, or of one logged-in user.",
  }),
  PAGE_LIMIT: quota().default(3_000).meta({
    description: "Pages and feeds a minute for one address.",
  }),
  LIMIT_WINDOW_S: wholeNumber(1, 3_600).default(60).meta({
    description: "What counts as a minute for these limits, in seconds.",
  }),
};

const schema = z.object(limitSettings);

export function limitsOf(value: z.output<typeof schema>): Limits {
  return {
    key: value.API_KEY_LIMIT,
    address: value.API_ADDRESS_LIMIT,
    session: value.API_SESSION_LIMIT,
    pages: value.PAGE_LIMIT,
    windowS: value.LIMIT_WINDOW_S,
  };
}
