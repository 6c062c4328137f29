import type { Method } from "../../web/api/endpoint.ts";

/** A call that is shown in several languages. */
export interface SampleCall {
  readonly method: Method;
  readonly url: string;
  /** Whether it needs a key, or the session of a logged-in user. */
  readonly credential: "none" | "key" | "session";
  /** The body of a write. */
  readonly body: unknown;
  /** Its media type; JSON unless said. */
  readonly bodyType?: string | undefined;
  /** The type of the answer. */
  readonly answer: "json" | "file" | "nothing";
}

/** One program that makes a call; the name is that of the language. */
export interface CodeSample {
  readonly name: string;
  readonly code: string;
}

/** The same call for a shell, Python's standard library, JavaScript (a browser or Node) and Lua with LuaSocket. */
export function codeSamples(call: SampleCall): CodeSample[] {
  return [
    { name: "curl", code: curl(call) },
    { name: "Python", code: python(call) },
    { name: "JavaScript", code: javascript(call) },
    { name: "Lua", code: lua(call) },
  ];
}

function headersOf({ credential, body, bodyType = "application/json" }: SampleCall): [string, string][] {
  return [
    ...(credential === "key" ? [["X-API-Key", "YOUR_KEY"] as [string, string]] : []),
    ...(credential === "session" ? [["Cookie", "YOUR_COOKIE"] as [string, string]] : []),
    ...(body ? [["Content-Type", bodyType] as [string, string]] : []),
  ];
}

/** The call as a command for any POSIX shell. */
export function curl(call: SampleCall): string {
  const headers = headersOf(call).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)} `);
  const data = call.body ? `-d ${shellQuoted(JSON.stringify(call.body))} ` : "";
  const isUsual = call.method === "GET" || (call.method === "POST" && call.body !== undefined);
  const method = isUsual ? "" : `-X ${call.method} `;
  return `curl ${call.answer === "file" ? "-O " : ""}${method}${headers.join("")}${data}${shellQuoted(call.url)}`;
}

/** POSIX shells take everything between single quotes as it is. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function python(call: SampleCall): string {
  const headers = headersOf(call).map(([name, value]) => `${literal(name)}: ${literal(value)}`);
  const parts = [
    literal(call.url),
    ...(call.body ? [`data=${literal(JSON.stringify(call.body))}.encode()`] : []),
    ...(headers.length > 0 ? [`headers={${headers.join(", ")}}`] : []),
    ...(call.method === "GET" || call.method === "POST" ? [] : [`method=${literal(call.method)}`]),
  ];
  const read = { json: "json.load(answer)", file: "len(answer.read())", nothing: "answer.status" }[
    call.answer
  ];
  return `import json\nfrom urllib.request import Request, urlopen\n\nrequest = Request(${parts.join(", ")})
with urlopen(request) as answer:\n    print(${read})`;
}

function javascript(call: SampleCall): string {
  const options = [
    ...(call.method === "GET" ? [] : [`  method: "${call.method}",`]),
    ...(headersOf(call).length > 0
      ? [`  headers: ${JSON.stringify(Object.fromEntries(headersOf(call)))},`]
      : []),
    ...(call.body ? [`  body: JSON.stringify(${JSON.stringify(call.body)}),`] : []),
  ];
  const rest = options.length > 0 ? `, {\n${options.join("\n")}\n}` : "";
  const read = {
    json: "await answer.json()",
    file: "(await answer.arrayBuffer()).byteLength",
    nothing: "answer.status",
  }[call.answer];
  return `const answer = await fetch(${literal(call.url)}${rest});\nif (!answer.ok) throw new Error(await answer.text());\nconsole.log(${read});`;
}

function lua(call: SampleCall): string {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const headers = [
    ...headersOf(call).map(([name, value]) => `[${literal(name)}] = ${literal(value)}`),
    ...(body === undefined ? [] : [`["Content-Length"] = ${Buffer.byteLength(body)}`]),
  ];
  const source = body === undefined ? "" : `  source = require("ltn12").source.string(${literal(body)}),\n`;
  const isSecure = call.url.startsWith("https:");
  const scheme = isSecure ? "ssl.https" : "socket.http";
  // LuaSec checks no certificate without this option; the file is Debian's.
  const checks = isSecure ? `  verify = "peer", cafile = "/etc/ssl/certs/ca-certificates.crt",\n` : "";
  return `local http, body = require(${literal(scheme)}), {}
local _, status = http.request {
  url = ${literal(call.url)},
  method = ${literal(call.method)},
${checks}${headers.length > 0 ? `  headers = { ${headers.join(", ")} },\n` : ""}${source}  sink = require("ltn12").sink.table(body),
}
print(status, table.concat(body))`;
}

/** A string literal of Python, JavaScript and Lua alike: addresses and names here have no control characters. */
function literal(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
