import { wholeNumber } from "./values.ts";

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
