import { listCategories } from "../../catalogue/list/queries.ts";
import type { Db } from "../../db/connect.ts";
import type { Locale } from "../../web/request/locale.ts";
import { entityKinds, kindBySingular } from "../../words/kinds/kinds.ts";
import type { EditKind } from "./context.ts";
import type { ColumnChoices } from "./fields.ts";
import { listUsedValues } from "./queries.ts";
import { listGames } from "./server-test.ts";

type Choice = readonly [value: string, label: string];

/** What the form offers for columns: mostly what other records have there. */
export async function listChoices(db: Db, kind: EditKind, { t }: Locale): Promise<ColumnChoices> {
  const unlabelled = (values: readonly string[]) => values.map((value): Choice => [value, ""]);
  const used = async (columns: readonly string[]) =>
    Promise.all(
      columns.map(async (column): Promise<[string, readonly Choice[]]> => {
        return [column, unlabelled(await listUsedValues(db, kind, column))];
      }),
    );
  if (kind === "servers")
    return new Map([
      ...(await used(["game", "language", "group_name"])),
      ["adapter", unlabelled(["gamedig", "json"])],
      ["adapter_options.type", await listGames()],
    ]);
  if (kind === "donate-items")
    return new Map([
      ...(await used(["category", "currency"])),
      ["entity_kind", entityKinds().map((word): Choice => [word, t(`kinds.${kindBySingular(word)}.one`)])],
    ]);
  const categories = await listCategories(db, kind);
  return new Map([["category", unlabelled(categories.map(({ category }) => category))]]);
}
