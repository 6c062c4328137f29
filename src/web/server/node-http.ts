import type * as nodeHttp from "node:http";

/**
 * Node's HTTP module. An import statement reads all that the module exports, and one of these is the client behind
 * `fetch`, which takes 14 MB.
 */
export const http: typeof nodeHttp = process.getBuiltinModule("node:http");
