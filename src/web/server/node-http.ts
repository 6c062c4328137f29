import type * as nodeHttp from "node:http";

/**
 * Node's HTTP module. An import statement would read all exports of the module, and one of them is the client behind
 * `fetch`, which takes 14 MB.
 */
export const http: typeof nodeHttp = process.getBuiltinModule("node:http");
