import { z } from "zod";
import { type Endpoint, type ReadContext, type ReadEndpoint, readEndpoint } from "../../web/api/endpoint.ts";
import type { AskedPage, ListedPage } from "./lists.ts";
import {
  linkToNext,
  nextAddress,
  pageFields,
  pageParameters,
  recordsCsv,
  select,
} from "./page-parameters.ts";
import type { ApiRecord } from "./record.ts";

/** A list that is sent page by page. */
interface PagedList<Shape extends z.ZodRawShape>
  extends Pick<Endpoint, "path" | "operationId" | "ofKind" | "access" | "cost">,
    Pick<ReadEndpoint, "cache" | "problems"> {
  /** The schema of one of its records. */
  readonly schema: z.ZodObject;
  /** Its own parameters. */
  readonly input: Shape;
  read(
    input: z.output<z.ZodObject<Shape>>,
    asked: AskedPage,
    context: ReadContext,
  ): Promise<ListedPage<ApiRecord>>;
}

/** The endpoint of a list whose records are read for it alone, in the style of the lists of records. */
export function pagedList<Shape extends z.ZodRawShape>({
  schema,
  input,
  read,
  ...declared
}: PagedList<Shape>): Endpoint {
  return readEndpoint({
    ...declared,
    input: z.object({ ...input, ...pageParameters(schema) }),
    output: z.object(pageFields(schema)),
    handle: async (given, context) => {
      const { limit, cursor, lang, fields } = given as PageInput;
      const asked = { limit, cursor, language: lang };
      const page = await read(given as z.output<z.ZodObject<Shape>>, asked, context);
      return {
        total: page.total,
        next: nextAddress(page.next, context),
        records: page.rows.map((record) => select(record, fields)),
      };
    },
    link: linkToNext,
    csv: { text: ({ records }, given) => recordsCsv(schema, records, (given as PageInput).fields) },
  });
}

type PageInput = z.output<z.ZodObject<ReturnType<typeof pageParameters>>>;
