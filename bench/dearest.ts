/**
 * What each kind of address costs the machine: `node bench/dearest.ts [options]`
 *
 *   --items 65000    so many items beside the demo data
 *   --only text      addresses that hold this text
 *   --address path   these instead of the site's kinds of addresses, any number of times; `{n}` is another number each time
 *   --top 40         how many are printed, the dearest first
 *   --starve         two clients with the dearest address beside 50 readers of cheap pages
 *
 * The site runs in a process of its own on a Postgres of its own. An address is asked for so long that the kernel's
 * ticks do not matter, one request at a time; its CPU time of node and of Postgres is printed as a multiple of what
 * `GET /login` takes in the same run. Linux only.
 */
import { parseArgs } from "node:util";
import { listAddresses, type MeasuredAddress } from "./dearest/addresses.ts";
import { type Client, openClient } from "./dearest/client.ts";
import { type CpuTimes, readCpuTimes } from "./dearest/cpu.ts";
import { type MeasuredSite, withMeasuredSite } from "./dearest/site.ts";
import { measureStarving } from "./dearest/starve.ts";

/** Milliseconds of CPU after which an address is known well enough. */
const ENOUGH_MS = 600;
const REQUESTS = { least: 3, most: 150 };

interface Cost extends CpuTimes {
  readonly address: MeasuredAddress;
  readonly requests: number;
  readonly bytes: number;
  /** Each status that was answered. */
  readonly statuses: string;
}

const { values: options } = parseArgs({
  options: {
    items: { type: "string", default: "0" },
    only: { type: "string", default: "" },
    address: { type: "string", multiple: true },
    top: { type: "string", default: "40" },
    starve: { type: "boolean", default: false },
  },
});

await withMeasuredSite(Number(options.items), async (site) => {
  const client = await openClient(site);
  try {
    const costs = await measureAll(site, client);
    if (options.starve && costs[0])
      await measureStarving(
        site,
        costs.slice(0, 3).map(({ address }) => address.path),
      );
  } finally {
    client.close();
  }
});

/** Prints and returns the costs, the dearest first. */
async function measureAll(site: MeasuredSite, client: Client): Promise<Cost[]> {
  const login: MeasuredAddress = { path: "/login", reader: "visitor" };
  // The code is compiled while it runs: the first hundreds of requests cost more than the later ones.
  for (let round = 0; round < 300; round++) await client.ask(login);
  const before = await measure(site, client, login);
  const costs: Cost[] = [];
  for (const address of listWanted()) costs.push(await measure(site, client, address));
  const unit = (eachOf(before) + eachOf(await measure(site, client, login))) / 2;
  costs.sort((one, other) => eachOf(other) - eachOf(one));
  console.log(`${options.items} items beside the demo data; GET /login takes ${unit.toFixed(2)} ms of CPU\n`);
  console.log("times /login    node  Postgres   bytes  status  address");
  for (const cost of costs.slice(0, Number(options.top))) print(cost, unit);
  return costs;
}

function listWanted(): MeasuredAddress[] {
  const own = options.address?.map((path): MeasuredAddress => ({ path, reader: "visitor" }));
  return (own ?? listAddresses()).filter(({ path }) => path.includes(options.only));
}

async function measure(site: MeasuredSite, client: Client, address: MeasuredAddress): Promise<Cost> {
  // What is made once and kept is no cost of the address.
  let last = await client.ask(address);
  const statuses = new Set<number>();
  const start = await readCpuTimes(site);
  for (let requests = 1; ; requests++) {
    last = await client.ask(address);
    statuses.add(last.status);
    if (requests < REQUESTS.least) continue;
    if (requests < REQUESTS.most && requests % 5 !== 0) continue;
    const now = await readCpuTimes(site);
    const [node, postgres] = [now.node - start.node, now.postgres - start.postgres];
    if (node + postgres < ENOUGH_MS && requests < REQUESTS.most) continue;
    return { address, requests, node, postgres, bytes: last.bytes, statuses: [...statuses].join(" ") };
  }
}

/** Milliseconds of CPU that a request takes. */
function eachOf({ node, postgres, requests }: Cost): number {
  return (node + postgres) / requests;
}

function print(cost: Cost, unit: number): void {
  const { address, requests, node, postgres, bytes, statuses } = cost;
  const columns = [
    (eachOf(cost) / unit).toFixed(1).padStart(12),
    (node / requests / unit).toFixed(1).padStart(7),
    (postgres / requests / unit).toFixed(1).padStart(9),
    String(bytes).padStart(7),
    statuses.padStart(7),
    ` ${address.form ? "POST " : ""}${shorten(address.path)}${address.reader === "visitor" ? "" : ` (${address.reader})`}`,
  ];
  console.log(columns.join(" "));
}

function shorten(path: string): string {
  return path.length <= 90 ? path : `${path.slice(0, 80)}… (${path.length} characters)`;
}
