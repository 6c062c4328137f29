/**
 * How smoothly the map moves with 5,000 places, beside the same with 50: `node bench/map.ts [rounds]`.
 *
 * Zooms and drags both maps in Chromium (CHROMIUM, else /usr/bin/chromium) in turn, with mouse and keyboard in a wide
 * window, and with fingers in a narrow one on a CPU slowed four times. Of each gesture it prints the processor time of
 * the page's own thread, its longest task, and frames that came late; of a load, the time to the first map with signs
 * and the bytes on the wire. Takes the best of the rounds, for other programs only ever add to it. Ends with 1 where a
 * gesture takes more than twice the work with 5,000 places, or has a task of more than 100 ms.
 */
import path from "node:path";
import type { Browser, BrowserContextOptions, CDPSession, Page } from "playwright-core";
import { withBrowserSite } from "./browser-site.ts";
import { fillPlaces } from "./map/fill.ts";
import { DESKTOP_GESTURES, type Gesture, TOUCH_GESTURES } from "./map/gestures.ts";

const WORK_RATIO = 2;
const LONGEST_MS = 100;
const SLOW_FRAME_MS = 25;
/** Chromium's name for one task of a thread. */
const TASK = "ThreadControllerImpl::RunTask";

interface Setting {
  readonly name: string;
  readonly slowdown: number;
  readonly window: BrowserContextOptions;
  readonly gestures: Record<string, Gesture>;
}

const SETTINGS: readonly Setting[] = [
  {
    name: "1280 wide, mouse and keys",
    slowdown: 1,
    window: { viewport: { width: 1280, height: 900 } },
    gestures: DESKTOP_GESTURES,
  },
  {
    name: "390 wide, fingers, CPU slowed 4 times",
    slowdown: 4,
    window: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
    gestures: TOUCH_GESTURES,
  },
];

const MAPS = { 50: "businesses", 5000: "houses" } as const;
type Size = keyof typeof MAPS;

/** What a gesture or a load took, in milliseconds but for counts and bytes. */
type Figures = Record<string, number>;

const rounds = Number(process.argv[2] ?? 3);
let isDear = false;

await withBrowserSite(
  async (db) => {
    await fillPlaces(db, "businesses", 50);
    await fillPlaces(db, "houses", 5000);
  },
  async (url, browser) => {
    for (const setting of SETTINGS) await compare(url, browser, setting);
  },
);
if (isDear) process.exitCode = 1;

async function compare(url: string, browser: Browser, setting: Setting): Promise<void> {
  const best = new Map<string, Record<Size, Figures>>();
  for (let round = 0; round < rounds; round++) {
    for (const size of [50, 5000] as const) {
      const taken = await measure(`${url}/en/${MAPS[size]}/map`, browser, setting);
      for (const [name, figures] of Object.entries(taken)) {
        const known = best.get(name) ?? { 50: {}, 5000: {} };
        known[size] = leastOf(known[size], figures);
        best.set(name, known);
      }
    }
  }
  console.log(`\n${setting.name}: 5,000 places (50 places)\n`);
  for (const [name, { 50: few, 5000: many }] of best) report(name, few, many);
}

async function measure(
  address: string,
  browser: Browser,
  { slowdown, window, gestures }: Setting,
): Promise<Record<string, Figures>> {
  // A page of ours lets nothing be evaluated in it from outside.
  const context = await browser.newContext({ ...window, bypassCSP: true });
  const page = await context.newPage();
  await page.addInitScript({ path: path.join(import.meta.dirname, "map/stopwatch.js") });
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  const taken: Record<string, Figures> = { load: await load(page, devtools, address) };
  for (const [name, gesture] of Object.entries(gestures)) {
    await page.evaluate("startWatch()");
    await browser.startTracing(page, { categories: ["toplevel"] });
    await gesture(page, devtools);
    const tasks = tasksOfPage(await browser.stopTracing());
    const frames = await page.evaluate<number[]>("frames");
    taken[name] = {
      work: tasks.reduce((sum, ms) => sum + ms, 0),
      "longest task": Math.max(...tasks),
      "slow frames": frames.filter((ms) => ms > SLOW_FRAME_MS).length,
    };
  }
  await context.close();
  return taken;
}

async function load(page: Page, devtools: CDPSession, address: string): Promise<Figures> {
  await devtools.send("Network.enable");
  const types = new Map<string, string>();
  const bytes: Figures = {};
  devtools.on("Network.responseReceived", ({ requestId, response }) => {
    types.set(requestId, response.mimeType === "application/json" ? "points" : response.mimeType);
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? "";
    const name = type === "text/html" ? "page" : type.includes("javascript") ? "scripts" : type;
    bytes[`${name} bytes`] = (bytes[`${name} bytes`] ?? 0) + encodedDataLength;
  });
  await page.goto(address, { waitUntil: "networkidle" });
  await page.waitForFunction("window.firstMap");
  await devtools.send("Network.disable");
  const tasks = await page.evaluate<number[]>("tasks");
  return {
    "first map": await page.evaluate<number>("firstMap"),
    "longest task": Math.max(0, ...tasks),
    elements: await page.evaluate<number>("document.querySelectorAll('*').length"),
    "page bytes": bytes["page bytes"] ?? 0,
    "points bytes": bytes["points bytes"] ?? 0,
    "scripts bytes": bytes["scripts bytes"] ?? 0,
  };
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor's time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Milliseconds of processor time for each task of a page's main thread: what else the machine does is not in them. */
function tasksOfPage(trace: Buffer): number[] {
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(trace.toString());
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const named = traceEvents.filter(
    ({ name, args }) => name === "thread_name" && args.name === "CrRendererMain",
  );
  const pages = new Set(named.map(threadOf));
  const tasks = traceEvents.filter((event) => event.name === TASK && pages.has(threadOf(event)));
  return tasks.map(({ tdur = 0 }) => tdur / 1000);
}

function leastOf(known: Figures, figures: Figures): Figures {
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [name, Math.min(figure, known[name] ?? figure)]),
  );
}

function report(name: string, few: Figures, many: Figures): void {
  const parts = Object.entries(many).map(
    ([what, figure]) => `${what} ${Math.round(figure)} (${Math.round(few[what] ?? 0)})`,
  );
  const ratio = (many.work ?? 0) / (few.work ?? 1);
  console.log(
    `${name}: ${parts.join(", ")}${many.work === undefined ? "" : `; work ${ratio.toFixed(2)} times`}`,
  );
  isDear ||= ratio > WORK_RATIO || (many["longest task"] ?? 0) > LONGEST_MS;
}
