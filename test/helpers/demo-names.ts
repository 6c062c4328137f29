import { readFileSync } from "node:fs";

/** Every name of the demo records that the search covers, in every language. */
export function demoNames(): string[] {
  return ["items", "vehicles", "scripts"].flatMap((kind) => {
    const records: { name: string; names?: Record<string, string> }[] = JSON.parse(
      readFileSync(new URL(`../../seeds/demo/${kind}.json`, import.meta.url), "utf8"),
    );
    return records.flatMap(({ name, names = {} }) => [name, ...Object.values(names)]);
  });
}
