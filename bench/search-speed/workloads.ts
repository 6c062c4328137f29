import type { Item } from "./items.ts";
import type { LoadGenerator } from "./load.ts";
import { type Measured, measureInTurn, type Workload } from "./measure.ts";
import { CLASSES, makeHotQueries, makeQueries } from "./queries.ts";
import type { Group, Line } from "./report.ts";
import type { Baseline, Site } from "./servers.ts";

/** As many different queries a class, where it has as many. */
const QUERIES = 20_000;
/** The baseline repeats so many of the answers that the site gives. */
const ANSWERS = 64;

interface Setting {
  readonly site: Site;
  readonly answers: Baseline;
  readonly row: Baseline;
  readonly generator: LoadGenerator;
  readonly items: readonly Item[];
  /** Number of records in the catalogue. */
  readonly names: number;
}

/** Measures the workloads of one group beside both baselines, in turn. */
export async function measureGroup(
  setting: Setting,
  group: Group,
  load: { connections: number; seconds: number; rounds: number },
): Promise<Line[]> {
  const { site, answers, row, items } = setting;
  const workloads = WORKLOADS[group](site, items);
  const paths = workloads.flatMap((workload) =>
    workload.paths.slice(0, Math.ceil(ANSWERS / workloads.length)),
  );
  await answers.setAnswers(await Promise.all(paths.map(async (path) => JSON.parse(await site.ask(path)))));
  const bare = { cookie: "", unique: false };
  const [toAnswers, toRow, ...measured] = await measureInTurn(
    setting.generator,
    [
      { ...bare, name: "res.json", port: answers.port, paths: ["/answer"] },
      { ...bare, name: "row", port: row.port, paths: items.map(({ id }) => `/items/${id}`) },
      ...workloads,
    ],
    load,
  );
  if (!toAnswers || !toRow) throw new Error("the baselines were not measured");
  const line = (figures: Measured): Line => ({
    ...figures,
    group,
    baseline: figures === toAnswers || figures === toRow,
    names: setting.names,
    connections: load.connections,
    toAnswers: figures.perSecond / toAnswers.perSecond,
    toRow: figures.perSecond / toRow.perSecond,
  });
  return [toAnswers, toRow, ...measured].map(line);
}

const WORKLOADS: Record<Group, (site: Site, items: readonly Item[]) => Workload[]> = {
  plain: (site, items) => coldWorkloads(site, items, CLASSES.plain),
  forgiving: (site, items) => coldWorkloads(site, items, CLASSES.forgiving),
  hot: (site, items) => {
    const queries = makeHotQueries(items, QUERIES);
    return [itemSearch(site, "hot", queries, false), globalSearch(site, "hot", queries, false)];
  },
};

/** Each class on its own, by the search of items, and all of them in turn by that of everything. */
function coldWorkloads(site: Site, items: readonly Item[], classes: readonly string[]): Workload[] {
  const queries = classes.map((name) => makeQueries(name, items, QUERIES));
  const mixed = Array.from({ length: QUERIES }, (_, n) => {
    const ofClass = queries[n % queries.length] ?? [];
    return ofClass[n % ofClass.length] ?? "";
  });
  return [
    ...classes.map((name, n) => itemSearch(site, name, queries[n] ?? [], true)),
    globalSearch(site, "mixed", mixed, true),
  ];
}

function itemSearch(site: Site, name: string, queries: readonly string[], unique: boolean): Workload {
  return {
    name,
    port: site.port,
    cookie: site.cookie,
    unique,
    paths: addresses("/api/items/search", queries),
  };
}

function globalSearch(site: Site, name: string, queries: readonly string[], unique: boolean): Workload {
  return {
    name: `${name}, /api/search`,
    port: site.port,
    cookie: "",
    unique,
    paths: addresses("/api/search", queries),
  };
}

function addresses(path: string, queries: readonly string[]): string[] {
  return queries.map((query) => `${path}?q=${encodeURIComponent(query)}`);
}
