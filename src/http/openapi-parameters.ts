import type { oas31 } from "zod-openapi";
import { SPACES } from "./params.ts";

/** A parameter that a request may leave out may also be blank (see `parseInput`). */
export const BLANK = {
  type: "string",
  pattern: `^[${SPACES}]*$`,
  description: "Empty or only spaces: counts as missing.",
} as const satisfies oas31.SchemaObject;

const BLANK_REFERENCE: oas31.ReferenceObject = { $ref: "#/components/schemas/Blank" };

/** Lets the optional parameters of an operation be blank, and those of a JSON body be null and numbers, in place. */
export function describeLeniency({ parameters = [], requestBody }: oas31.OperationObject): void {
  for (const parameter of parameters) {
    const isText = "schema" in parameter && parameter.style === undefined;
    if (isText && parameter.in === "query" && parameter.required !== true)
      parameter.schema = orElse(parameter.schema as oas31.SchemaObject, [BLANK_REFERENCE]);
  }
  // One that must be there is no list of parameters.
  if (requestBody && "required" in requestBody && requestBody.required) return;
  for (const { schema } of Object.values(contentOf(requestBody))) {
    const { properties = {} } = (schema ?? {}) as oas31.SchemaObject;
    for (const [name, property] of Object.entries(properties)) properties[name] = lenient(property);
  }
}

/** The schema of a parameter without what else it may be. */
export function strictSchema(schema: oas31.SchemaObject): oas31.SchemaObject {
  const [first] = schema.anyOf ?? [];
  return first === undefined ? schema : { ...(first as oas31.SchemaObject), default: schema.default };
}

function contentOf(body: oas31.OperationObject["requestBody"]): oas31.ContentObject {
  return body !== undefined && "content" in body ? (body.content ?? {}) : {};
}

function lenient(property: oas31.SchemaObject | oas31.ReferenceObject): oas31.SchemaObject {
  const isId = "type" in property && property.type === "string" && property.enum === undefined;
  const number: oas31.SchemaObject[] = isId ? [{ type: "number", description: "Read as its text." }] : [];
  return orElse(property as oas31.SchemaObject, [...number, BLANK_REFERENCE, { type: "null" }]);
}

function orElse(
  schema: oas31.SchemaObject,
  others: (oas31.SchemaObject | oas31.ReferenceObject)[],
): oas31.SchemaObject {
  const { default: usual, description, anyOf, ...strict } = schema;
  return {
    ...(description !== undefined && { description }),
    ...(usual !== undefined && { default: usual }),
    anyOf: [...(anyOf ?? [strict as oas31.SchemaObject]), ...others],
  };
}
