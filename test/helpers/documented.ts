import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Response } from "supertest";
import { expect } from "vitest";
import type { OpenapiDocument } from "../../src/web/api/openapi.ts";

/** A parameter of an operation, as the document has it. */
export interface DocumentedParameter {
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly required?: boolean;
  readonly schema: Record<string, unknown>;
}

/** An operation of the document. */
export interface DocumentedOperation {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly path: string;
  readonly parameters: readonly DocumentedParameter[];
  // The document is JSON to whoever reads it; its types in the library are unions that help nobody here.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly spec: any;
}

export function operationsOf(document: OpenapiDocument): DocumentedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (["get", "post", "put", "patch", "delete"] as const).flatMap((method) => {
      const spec = item?.[method];
      return spec ? [{ method, path, spec, parameters: textsAmong(spec.parameters ?? []) }] : [];
    }),
  );
}

/** Without the filters of a list, whose names are of its kind. */
function textsAmong(parameters: readonly object[]): DocumentedParameter[] {
  return (parameters as readonly DocumentedParameter[]).filter(({ schema }) => schema.type !== "object");
}

/** Says what of the document holds for real requests and answers, by JSON Schema. */
export class Documented {
  readonly #headers: object;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  /** By the text of their schemas: many answers have the same. */
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(document: OpenapiDocument) {
    this.#headers = document.components?.headers ?? {};
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(JSON.parse(JSON.stringify(document)), "document");
  }

  /** Whether a parameter may have this text, by its schema and by what the document says in words. */
  allows({ name, schema, ...parameter }: DocumentedParameter, text: string): boolean {
    const isLeftOut = parameter.in === "query" && parameter.required !== true && text.trim() === "";
    const number = /^[+-]?\d+$/.test(text) ? [Number(text)] : [];
    const code = name === "country" ? [text.toLowerCase()] : [];
    return isLeftOut || [text, ...number, ...code].some((value) => this.errors(schema, value).length === 0);
  }

  /** Status, type, body and headers of an answer are among those of its operation. */
  expectAnswer({ path, spec }: DocumentedOperation, { status, headers, text }: Response, what: string): void {
    const response = spec.responses[status];
    expect(response, `${what}: ${status} of ${path} is not documented`).toBeDefined();
    for (const name of Object.keys(response.headers ?? {})) {
      if (this.#isRequired(name))
        expect(headers, `${what}: ${status} of ${path}`).toHaveProperty(name.toLowerCase());
    }
    if (response.content === undefined) return;
    const type = String(headers["content-type"]).split(";")[0] ?? "";
    expect(Object.keys(response.content), what).toContain(type);
    if (type.endsWith("json"))
      expect(this.errors(response.content[type].schema, JSON.parse(text)), `${what}: ${text}`).toEqual([]);
  }

  #isRequired(header: string): boolean {
    const { [header]: found } = this.#headers as Record<string, { required?: boolean } | undefined>;
    return found?.required === true;
  }

  /** What is wrong with a value by a schema of the document. */
  errors(schema: object, value: unknown): string[] {
    // References are to the whole document.
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
    const check = this.#checks.get(text) ?? this.#ajv.compile(JSON.parse(text));
    this.#checks.set(text, check);
    check(value);
    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }
}
