import type { Adapter } from "./adapter.ts";
import { gamedigAdapter } from "./adapters/gamedig.ts";
import { jsonAdapter } from "./adapters/json.ts";

/** The adapters by the name that a server's record gives. */
export const ADAPTERS: Readonly<Record<"gamedig" | "json", Adapter>> = {
  gamedig: gamedigAdapter,
  json: jsonAdapter,
};
