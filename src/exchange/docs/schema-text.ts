import type { oas31 } from "zod-openapi";
import type { Translate } from "../../words/i18n/translate.ts";

/** Characters of a line that a page has room for. */
const LINE = 80;

export type Schema = oas31.SchemaObject | oas31.ReferenceObject | boolean;

/** A JSON schema as a reader of an API likes it: in the notation of TypeScript, with remarks. */
export function schemaText(schema: Schema | undefined, indent = ""): string {
  if (schema === undefined || typeof schema === "boolean") return "unknown";
  if ("$ref" in schema && schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  const plain = schema as oas31.SchemaObject;
  const options = plain.anyOf ?? plain.oneOf;
  if (options) return options.map((option) => schemaText(option, indent)).join(" | ");
  if (plain.enum) return plain.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (plain.const !== undefined) return JSON.stringify(plain.const);
  if (Array.isArray(plain.type)) return plain.type.join(" | ");
  if (plain.type === "array") return arrayText(plain, indent);
  if (plain.type === "object") return objectText(plain, indent);
  return plain.type ?? "unknown";
}

/** Type, bounds and format of one parameter: `whole number, 1 to 50`. */
export function parameterText(schema: oas31.SchemaObject, t: Translate): string {
  const { minimum, maximum, minLength, maxLength } = schema;
  if (schema.enum) return schema.enum.join(", ");
  if (schema.type === "integer") {
    if (minimum === undefined || maximum === undefined) return t("docs.type.whole");
    return t("docs.type.whole_range", { least: minimum, most: maximum });
  }
  if (maxLength === undefined) return t("docs.type.text");
  const most = { count: maxLength, figure: maxLength };
  if (minLength === undefined) return t("docs.type.text_most", most);
  return t("docs.type.text_range", { ...most, least: minLength });
}

function arrayText(schema: oas31.SchemaObject, indent: string): string {
  const item = schemaText(schema.items, indent);
  return /[ |]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: oas31.SchemaObject, indent: string): string {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return `{ [name: string]: ${schemaText(schema.additionalProperties)} }`;
  const inner = `${indent}  `;
  const lines = properties.map(([name, property]) => {
    const mark = schema.required?.includes(name) ? "" : "?";
    return withRemark(`${inner}${name}${mark}: ${schemaText(property, inner)}`, remarkOf(property), inner);
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function remarkOf(property: Schema): string {
  const { description, format } = typeof property === "boolean" ? {} : (property as oas31.SchemaObject);
  return [format, description].filter((word) => word !== undefined).join("; ");
}

/** At the end of the line, or above it where that would be long. */
function withRemark(line: string, remark: string, indent: string): string {
  if (remark === "") return line;
  const whole = `${line}  // ${remark}`;
  return whole.length <= LINE && !line.includes("\n") ? whole : `${indent}// ${remark}\n${line}`;
}
