import type { Site } from "../ratios/servers.ts";
import { HIGHEST_PRICE } from "./changes.ts";
import type { History, Stream } from "./history.ts";
import type { Reader } from "./sites.ts";

/** What a path shows: the numbers of each stream in its text. */
const MARKS: Record<Stream, RegExp> = {
  items: /\bi(\d+)i\b/g,
  imported: /\bc(\d+)c\b/g,
  servers: /\bv(\d+)v\b/g,
  shop: /\bs(\d+)s\b/g,
  sale: /\b(\d+)\.37\b/g,
};

const PATHS: readonly (readonly [path: string, ...shown: Stream[]])[] = [
  ["/", "items", "servers", "shop", "sale"],
  ["/items", "items"],
  ["/items/3", "items"],
  ["/ru/items/4", "items"],
  ["/items.rss", "items"],
  ["/vehicles", "imported"],
  ["/vehicles/5", "imported"],
  ["/search?q=car", "imported"],
  ["/api/search?q=gun", "items"],
  ["/servers", "servers"],
  ["/servers/2", "servers"],
  ["/api/data", "servers"],
  ["/donate", "shop", "sale"],
  ["/donate/1", "shop", "sale"],
  ["/donate/2", "shop"],
  ["/discounts.rss", "shop", "sale"],
];

interface Library {
  readonly sites: readonly Site[];
  readonly people: readonly Reader[];
  readonly history: History;
}

/** Asks for one page after the other until `done` aborts. */
export async function readUntil(done: AbortSignal, { sites, people, history }: Library): Promise<void> {
  while (!done.aborted) {
    const [path, ...shown] = any(PATHS);
    const reader = any(people);
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${any(sites).port}${path}`, { headers: reader.headers });
    const text = await answer.text();
    if (answer.status !== 200) {
      history.fail(`${path} was answered ${answer.status}`);
      continue;
    }
    for (const stream of shown) history.judge(stream, path, numbersIn(text, stream), began);
    const isPage = answer.headers.get("content-type")?.startsWith("text/html") === true;
    if (isPage) judgeNames(text, path, reader, people, history);
  }
}

function numbersIn(text: string, stream: Stream): number[] {
  // A revision's history shows earlier names as well; the page's heading has the current one.
  const shown = text.replace(/<section[^>]*history.*?<\/section>/gs, "").replace(/(?<=\d),(?=\d{3})/g, "");
  const numbers = [...shown.matchAll(MARKS[stream])].map(([, number]) => Number(number));
  return stream === "sale" ? numbers.map((price) => HIGHEST_PRICE - price) : numbers;
}

function judgeNames(
  text: string,
  path: string,
  reader: Reader,
  people: readonly Reader[],
  history: History,
): void {
  for (const { name } of people) {
    if (name === undefined || text.includes(name) === (name === reader.name)) continue;
    history.fail(
      `${path} for ${reader.name ?? "a visitor"} ${name === reader.name ? "lacks" : "has"} ${name}`,
    );
  }
}

export function any<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}
