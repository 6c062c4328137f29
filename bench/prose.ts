/**
 * Descriptions of 20,000 letters that are made to take long: `node bench/prose.ts`.
 *
 * Medians of 9 runs each, from the text to its HTML. The baseline is a description as people write them, of the same length.
 * Fails where a hostile one takes more than 10 times as long.
 */
import { parseMarkdown } from "../src/text/markdown.ts";
import { proseHtml } from "../src/text/prose.ts";
import { filledWith, HOSTILE_TEXTS } from "../test/helpers/hostile-texts.ts";

const RUNS = 9;
const MOST = 10;
const SHOWN = 8;

const ORDINARY = filledWith(
  "## A rifle\n\nFound in the *north*, see [the map](https://game.example/map). It has **30** rounds.\n\n" +
    "- Damage: 40\n- Range: 300 m\n\n| Shop | Price |\n| --- | --- |\n| Harbour | 900 |\n\nSome more words about where it is of use.\n\n",
);

medianMs(ORDINARY); // so that it is compiled
const baseline = medianMs(ORDINARY);
const ratios = HOSTILE_TEXTS.map(([name, text]) => ({ name, ratio: medianMs(text) / baseline })).sort(
  (a, b) => b.ratio - a.ratio,
);
console.log(`an ordinary description: ${baseline.toFixed(1)} ms`);
for (const { name, ratio } of ratios.slice(0, SHOWN))
  console.log(`${ratio.toFixed(1)} times as long: ${JSON.stringify(name)}`);
process.exitCode = (ratios[0]?.ratio ?? 0) > MOST ? 1 : 0;

function medianMs(text: string): number {
  const times = Array.from({ length: RUNS }, () => {
    const begun = performance.now();
    proseHtml(parseMarkdown(text));
    return performance.now() - begun;
  });
  return times.sort((a, b) => a - b)[(RUNS - 1) / 2] ?? Number.NaN;
}
