import type { Catalogue, CatalogueName } from "../catalogue.ts";
import { fold } from "../fold.ts";
import type { QueryClass } from "../query-class.ts";
import type { Random } from "../random.ts";

/** Only what things are, without a name: `epic`, `mount`, `epic mount`. */
export const valueClasses = [
  onlyValues("only quality", ({ values }, random) => [random.pick(values)]),
  onlyValues("only category", ({ category }) => [category ?? ""]),
  onlyValues("only quality and category", ({ category, values }, random) => [
    random.pick(values),
    category ?? "",
  ]),
];

function onlyValues(name: string, draw: (name: CatalogueName, random: Random) => string[]): QueryClass {
  return {
    name,
    targets: [{ metric: "precision@10", atLeast: 90 }],
    fits: ({ category, values }) => category !== null && values.length > 0,
    make(named, random, catalogue: Catalogue) {
      const text = fold(draw(named, random).join(" "));
      if (text === "") return undefined;
      const relevant = catalogue.saying(text.split(" "));
      return { text, meant: `all that are ${text}`, hits: relevant, relevant };
    },
  };
}
