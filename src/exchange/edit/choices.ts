import { listCategories } from "../../catalogue/list/queries.ts";
import type { Db } from "../../db/connect.ts";
import type { Locale } from "../../web/request/locale.ts";
import { entityKinds, isCatalogueKind, kindBySingular } from "../../words/kinds/kinds.ts";
import type { EditKind } from "./context.ts";
import type { ColumnChoices } from "./fields.ts";
import { listUsedValues } from "./queries.ts";
import { loadPolls } from "./server-test.ts";

/** What the form offers for columns: mostly what other records have there. */
export async function listChoices(db: Db, kind: EditKind, { t }: Locale): Promise<ColumnChoices> {
  const choices = new Map<string, readonly (readonly [value: string, label: string])[]>();
  const offer = (column: string, values: readonly string[]) =>
    choices.set(
      column,
      values.map((value) => [value, ""]),
    );
  if (isCatalogueKind(kind))
    return offer(
      "category",
      (await listCategories(db, kind)).map(({ category }) => category),
    );
  const columns = kind === "servers" ? ["game", "language", "group_name"] : ["category", "currency"];
  for (const column of columns) offer(column, await listUsedValues(db, kind, column));
  if (kind === "servers") return choices.set("adapter_options.type", (await loadPolls()).listGames());
  return choices.set(
    "entity_kind",
    entityKinds().map((word) => [word, t(`kinds.${kindBySingular(word)}.one`)]),
  );
}
