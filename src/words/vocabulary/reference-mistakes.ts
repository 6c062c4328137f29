import { lazyText, zodMessage } from "../i18n/lazy-text.ts";
import { BUILT_IN_KINDS } from "../kinds/kinds.ts";
import { nearestName } from "./nearest-name.ts";

type Attributes = Readonly<Record<string, { kind?: string | undefined }>>;

interface Named {
  readonly attributes?: Attributes | undefined;
  readonly kinds?: Readonly<Record<string, { attributes?: Attributes | undefined } | undefined>> | undefined;
}

/** What is wrong with the kinds whose entries attributes name, and where: there may be none of that name. */
export function mistakesOfReferences({
  attributes,
  kinds = {},
}: Named): { path: string[]; message: string }[] {
  const known = [...new Set([...BUILT_IN_KINDS, ...Object.keys(kinds)])];
  const places = [
    { path: ["attributes"], attributes },
    ...Object.entries(kinds).map(([kind, words]) => {
      return { path: ["kinds", kind, "attributes"], attributes: words?.attributes };
    }),
  ];
  return places.flatMap(({ path, attributes = {} }) =>
    Object.entries(attributes).flatMap(([key, { kind }]) => {
      if (kind === undefined || known.includes(kind)) return [];
      const meant = nearestName(kind, known);
      const perhaps =
        meant === undefined
          ? ""
          : lazyText("operator.vocabulary.mistake.perhaps", { name: JSON.stringify(meant) });
      const message = zodMessage("operator.vocabulary.mistake.no_kind", {
        name: JSON.stringify(kind),
        perhaps,
        known: known.join(", "),
      });
      return [{ path: [...path, key, "kind"], message }];
    }),
  );
}
