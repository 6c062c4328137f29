import { z } from "zod";
import { type Endpoint, type ReadContext, readEndpoint } from "../../web/api/endpoint.ts";
import type { ListedPage } from "../read/lists.ts";
import { linkToNext, nextAddress, pageFields, pageParameters } from "../read/page-parameters.ts";
import type { ApiRecord } from "../read/record.ts";
import { recordsCsv } from "../read/records-csv.ts";
import { type Selection, select } from "../read/selection.ts";

/** Whose list it is, and which part of it. */
interface AskedOfUser {
  readonly userId: number;
  readonly limit: number;
  readonly cursor: string | undefined;
  /** The language of names and texts; undefined: the main one of names, English of texts. */
  readonly lang: string | undefined;
}

/** A list of what is one user's. */
interface UserList<Shape extends z.ZodRawShape> extends Pick<Endpoint, "path" | "operationId" | "access"> {
  /** The schema of one of its records. */
  readonly schema: z.ZodObject;
  /** Its own filters. */
  readonly filters: Shape;
  read(
    filters: z.output<z.ZodObject<Shape>>,
    asked: AskedOfUser,
    context: ReadContext,
  ): Promise<ListedPage<ApiRecord>>;
}

/** The endpoint of a list of what is one user's, in the style of the lists of records. It is never remembered. */
export function userList<Shape extends z.ZodRawShape>({
  schema,
  filters,
  read,
  ...declared
}: UserList<Shape>): Endpoint {
  const part = schema.partial().meta({ id: `${schema.meta()?.id}Part` });
  return readEndpoint({
    ...declared,
    input: z.object({ ...filters, ...pageParameters(schema) }),
    output: z.object({
      ...pageFields,
      records: z.array(part).meta({ description: "With `fields`, records have only these." }),
    }),
    cache: "client",
    handle: async (input, context) => {
      const { limit, cursor, lang, fields } = input as Omit<AskedOfUser, "userId"> & { fields?: Selection };
      const { userId } = context;
      if (userId === undefined) throw new Error("the access to a user's list must name a user");
      const given = input as z.output<z.ZodObject<Shape>>;
      const page = await read(given, { userId, limit, cursor, lang }, context);
      return {
        total: page.total,
        next: nextAddress(page.next, context),
        records: page.rows.map((record) => select(record, fields)),
      };
    },
    headers: linkToNext,
    csv: {
      text: ({ records }, input) => recordsCsv(schema, records, (input as { fields?: Selection }).fields),
    },
  });
}
