import type { Knex } from "knex";
import type { FacetsMemory } from "../../catalogue/facets-memory.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import type { LiveVocabulary } from "../../words/vocabulary/live.ts";

/** The sources of the form's pages. */
export interface FormSources {
  /** With a longer statement timeout, because attributes are counted over whole kinds. */
  readonly db: Knex;
  readonly memory: FacetsMemory;
  readonly vocabulary: LiveVocabulary;
}

export function formSources({
  slowQueryDb,
  facets,
  vocabulary,
}: BaseContext & { facets: FacetsMemory }): FormSources {
  return { db: slowQueryDb, memory: facets, vocabulary };
}
