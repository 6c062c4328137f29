import { badInput } from "../../web/pages/errors.ts";
import { tooDeep } from "../../web/request/input.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { isTooDeep, parseJson } from "../../words/text/json.ts";
import { toNfc } from "../../words/text/nfc.ts";
import { isJsonObject } from "./merge-patch.ts";

/** Media types of a batch in addition to JSON. */
export const NDJSON_TYPES = ["application/x-ndjson", "application/ndjson"] as const;

/** A body that must be one JSON object. @throws HttpError 400 */
export function readObject(bytes: unknown): Readonly<Record<string, unknown>> {
  const body = readJson(readText(bytes), "body");
  if (!isJsonObject(body)) throw wrongBody("body", lazyText("input.json_object"));
  return body;
}

/** The records of a batch: `{ "records": […] }`, or one a line. @throws HttpError 400 */
export function readRecords(bytes: unknown, isNdjson: boolean, most: number): readonly unknown[] {
  const text = readText(bytes);
  const records = isNdjson ? readLines(text) : listIn(readJson(text, "body"));
  if (!records || records.length === 0 || records.length > most)
    throw wrongBody("body", lazyText("input.record_list", { max: most }));
  return records;
}

function listIn(body: unknown): readonly unknown[] | undefined {
  return isJsonObject(body) && Array.isArray(body.records) ? body.records : undefined;
}

function readLines(text: string): unknown[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, index) => readJson(line, `records[${index}]`));
}

function readText(bytes: unknown): string {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) throw wrongBody("body", lazyText("input.json"));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw wrongBody("body", lazyText("input.utf8"));
  }
}

function readJson(text: string, param: string): unknown {
  const value = parsed(text, param);
  if (isTooDeep(value)) throw tooDeep(param);
  return toNfc(value);
}

function parsed(text: string, param: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw wrongBody(param, lazyText("input.json"));
  }
}

function wrongBody(param: string, message: ReturnType<typeof lazyText>) {
  return badInput([{ param, message }]);
}
