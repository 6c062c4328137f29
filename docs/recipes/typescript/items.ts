// Prints all items with their categories: ALMANAC_URL=https://… ALMANAC_KEY=alm_… npm start
// Once before, and after an update of the site: npm ci, then with the same variables: npm run types, npm run check
import { setTimeout as pause } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { paths } from "./almanac.d.ts";

const { ALMANAC_URL: baseUrl, ALMANAC_KEY = "" } = process.env;
// Lists also come as CSV, which this program does not request.
type Json = "application/json" | "application/problem+json";
const site = createClient<paths, Json>({ baseUrl, fetch: patiently, headers: { "X-API-Key": ALMANAC_KEY } });

let cursor: string | undefined;
do {
  const query = { limit: 200, fields: "id,name,category", cursor };
  const { data, error } = await site.GET("/api/items", { params: { query } });
  // A problem explains the refusal (RFC 9457).
  if (error) throw new Error(`${error.status}: ${error.detail}`);
  for (const { id, name, category } of data.records)
    process.stdout.write(`${id}\t${name}\t${category ?? "no category"}\n`);
  cursor = data.next === null ? undefined : (new URL(data.next).searchParams.get("cursor") ?? undefined);
} while (cursor);

/** Works like `fetch`, but waits as long as `Retry-After` says. */
async function patiently(request: Request, tries = 5): Promise<Response> {
  const answer = await fetch(request.clone());
  if ((answer.status !== 429 && answer.status !== 503) || tries === 1) return answer;
  await pause(Number(answer.headers.get("Retry-After") ?? 5) * 1000);
  return patiently(request, tries - 1);
}
