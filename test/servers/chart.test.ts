import { readFileSync } from "node:fs";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { describe as describeIn, drawChart } from "../../src/servers/chart.ts";
import { type ChartData, chartJson } from "../../src/servers/chart-data.ts";
import { emptyHistory, type History, RANGES, type RangeName } from "../../src/servers/history/ranges.ts";
import { computePeriod, findSpans } from "../../src/servers/spans.ts";
import { drawSparkline as drawSparklineIn } from "../../src/servers/uptime-bar.ts";
import { wordsIn } from "../helpers/words.ts";

const START = Date.UTC(2026, 10, 21, 13, 0) / 1000;
const english = wordsIn("en");
/** The readable text, where times are elements. */
const plain = (html: string) => html.replace(/<\/?time[^>]*>/g, "");
const describeChart = (data: ChartData) => plain(describeIn(data, english));
const drawSparkline = (of: History) => drawSparklineIn(of, english);
const BUCKETS = RANGES["24h"].buckets;

interface Stretch {
  from: number;
  to: number;
  online?: number;
  lowest?: number;
  highest?: number;
  queue?: number;
  up?: number;
}

/** A history with these stretches of one count each; everything else is unknown. */
function history(...stretches: Stretch[]): History {
  return historyOf("24h", ...stretches);
}

function historyOf(range: RangeName, ...stretches: Stretch[]): History {
  const made = emptyHistory(RANGES[range].buckets);
  for (const { from, to, online = null, lowest, highest, queue = null, up = 1 } of stretches) {
    made.online.fill(online, from, to);
    made.onlineMin.fill(lowest ?? online, from, to);
    made.onlineMax.fill(highest ?? online, from, to);
    made.queue.fill(queue, from, to);
    made.up.fill(up, from, to);
  }
  return made;
}

/** What a chart of a range is drawn from; the outages are those of the history. */
function dataOf(of: History, more: Partial<ChartData> = {}): ChartData {
  const range = more.range ?? "24h";
  const { intervalS, buckets } = RANGES[range];
  const start = Math.floor(START / intervalS) * intervalS;
  const times = Array.from({ length: buckets }, (_, place) => start + place * intervalS);
  const outages = findSpans(of.up, (up) => up === 0).map((span) => computePeriod(span, times, intervalS));
  return { name: "Server", range, times, intervalS, history: of, maxOnline: null, outages, ...more };
}

function chart(of: History, more: Partial<ChartData> = {}): string {
  return drawChart(dataOf(of, more), english);
}

function pathsOf(svg: string, kind: "online" | "queue" | "area"): string[] {
  return [...svg.matchAll(new RegExp(`<path class="chart-${kind}" d="([^"]*)"`, "g"))].map(
    (match) => match[1] ?? "",
  );
}

function points(path: string): number {
  return path.split(/[ML]/).filter(Boolean).length;
}

/** The heights of a path's points, from left to right. */
function levelsOf(path: string): number[] {
  const all = path.replace("Z", "").split(/[ML]/).filter(Boolean);
  return all.map((point) => Number(point.split(" ")[1]));
}

describe("the chart", () => {
  it("is well-formed and has a description", () => {
    const svg = chart(history({ from: 0, to: BUCKETS, online: 10 }));
    expect(XMLValidator.validate(svg)).toBe(true);
    const root = new XMLParser({ ignoreAttributes: false }).parse(svg).svg;
    expect(root["@_role"]).toBe("img");
    expect(root["@_aria-labelledby"]).toBe(`${root.title["@_id"]} ${root.desc["@_id"]}`);
    expect(root.title["#text"]).toBe("Players on Server in the last 24 hours");
    expect(root.desc["#text"]).toBe("10 players were online whenever it was up.");
  });

  it("draws one line through a day that was measured throughout", () => {
    const lines = pathsOf(chart(history({ from: 0, to: BUCKETS, online: 10 })), "online");
    expect(lines).toHaveLength(1);
    expect(points(lines[0] ?? "")).toBe(BUCKETS);
  });

  it("breaks the line and its area at a gap", () => {
    const svg = chart(history({ from: 0, to: 100, online: 10 }, { from: 108, to: BUCKETS, online: 10 }));
    expect(pathsOf(svg, "online").map(points)).toEqual([100, BUCKETS - 108]);
    expect(pathsOf(svg, "area")).toHaveLength(2);
    expect(pathsOf(svg, "area").every((path) => path.endsWith("Z"))).toBe(true);
  });

  it("breaks it at an outage, too, and shades that", () => {
    const svg = chart(
      history(
        { from: 0, to: 12, online: 10 },
        { from: 12, to: 18, up: 0 },
        { from: 18, to: BUCKETS, online: 10 },
      ),
    );
    expect(pathsOf(svg, "online")).toHaveLength(2);
    expect(svg.match(/<rect class="chart-outage[" ]/g)).toHaveLength(1);
    expect(svg).toContain('<rect class="chart-outage" x="30" y="20" width="15"');
    expect(plain(svg)).toContain("<title>Offline 14:00–14:30 UTC</title>");
  });

  it("does not shade what nobody measured", () => {
    const svg = chart(history({ from: 0, to: 100, online: 10 }));
    expect(svg).not.toContain("chart-outage");
  });

  it("draws more players higher, all of them inside the frame", () => {
    const svg = chart(history({ from: 0, to: 2, online: 10 }, { from: 2, to: 4, online: 990, queue: 1500 }));
    const levels = levelsOf(pathsOf(svg, "online")[0] ?? "");
    expect(levels[3]).toBeLessThan(levels[0] ?? 0);
    for (const path of [...pathsOf(svg, "online"), ...pathsOf(svg, "queue"), ...pathsOf(svg, "area")]) {
      const ys = levelsOf(path);
      expect(Math.min(...ys)).toBeGreaterThanOrEqual(20);
      expect(Math.max(...ys)).toBeLessThanOrEqual(270);
    }
  });

  it("shows the maximum where the server comes near it", () => {
    const svg = chart(history({ from: 0, to: 20, online: 600 }), { maxOnline: 1000 });
    expect(svg).toContain("chart-maximum");
    expect(svg).toContain("maximum 1,000");
  });

  it("labels hours of UTC, midnight by its date", () => {
    const svg = chart(emptyHistory(288));
    const labels = [...svg.matchAll(/chart-hour-label[^>]*>([^<]*)</g)].map((match) => match[1]);
    expect(labels).toEqual(["15:00", "18:00", "21:00", "22 Nov", "03:00", "06:00", "09:00"]);
  });

  it("escapes a server's name", () => {
    const svg = chart(history({ from: 0, to: 5, online: 1 }), { name: `<script>alert("x")</script> & 'co'` });
    expect(svg).not.toContain("<script");
    expect(XMLValidator.validate(svg)).toBe(true);
    expect(svg).toContain("&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt; &amp; &#39;co&#39;");
  });

  it("hatches outages, so that they are visible without colour", () => {
    const svg = chart(history({ from: 0, to: 9, up: 0 }));
    const pattern = svg.match(/<pattern id="chart-hatch"[\s\S]*?<\/pattern>/)?.[0] ?? "";
    expect(pattern).toContain('<line class="chart-hatch-line"');
    const styles = readFileSync(new URL("../../public/css/web/charts.css", import.meta.url), "utf8");
    expect(styles).toContain('.chart .chart-outage {\n  fill: url("#chart-hatch");');
  });
});

describe("the chart of a longer range", () => {
  it.each([
    ["7d", ["22 Nov", "23 Nov", "24 Nov", "25 Nov", "26 Nov", "27 Nov", "28 Nov"]],
    ["30d", ["23 Nov", "28 Nov", "3 Dec", "8 Dec", "13 Dec", "18 Dec"]],
    ["1y", ["2027", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov"]],
  ] as const)("labels the times of %s, in UTC", (range, wanted) => {
    const labels = [
      ...chart(emptyHistory(RANGES[range].buckets), { range }).matchAll(/chart-hour-label[^>]*>([^<]*)</g),
    ];
    expect(labels.map((match) => match[1])).toEqual(wanted);
  });

  it("draws the mean as a line and the lowest to the highest as a band", () => {
    const of = historyOf("7d", { from: 10, to: 14, online: 50, lowest: 20, highest: 90 });
    const svg = chart(of, { range: "7d" });
    expect(svg).toContain("Players on Server in the last 7 days");
    expect(pathsOf(svg, "online").map(points)).toEqual([4]);
    const [band = ""] = pathsOf(svg, "area");
    expect(points(band.replace("Z", ""))).toBe(8);
    expect(levelsOf(band)).toEqual([45, 45, 45, 45, 220, 220, 220, 220]);
  });
});

describe("the figures that the script draws", () => {
  it("are those of the SVG, a gap a null", () => {
    const of = history({ from: 1, to: 2, online: 3 }, { from: 2, to: 4, up: 0 });
    const figures = JSON.parse(chartJson(dataOf(of, { maxOnline: 6 })));
    expect(figures).toMatchObject({ from: START, interval: 300, maximum: 6, top: 6, queue: null });
    expect(figures.lines).toEqual([0, 2, 4, 6]);
    expect(figures.online.slice(0, 4)).toEqual([null, 3, null, null]);
    expect(figures.up.slice(0, 5)).toEqual([null, 1, 0, 0, null]);
    expect(figures.outages).toEqual([[START + 600, START + 1200]]);
    expect(figures.lowest).toBeUndefined();
  });

  it("have the band where the SVG has one, and the queue if it is known", () => {
    const of = historyOf("7d", { from: 0, to: 1, online: 5, lowest: 1, highest: 8, queue: 2 });
    const figures = JSON.parse(chartJson(dataOf(of, { range: "7d" })));
    expect([figures.lowest[0], figures.highest[0], figures.queue[0]]).toEqual([1, 8, 2]);
  });
});

describe("the chart in words", () => {
  it("says that a server was up without telling its players", () => {
    expect(describeChart(dataOf(history({ from: 0, to: BUCKETS })))).toBe("No player counts are known.");
  });

  it("tells range, outages and gaps", () => {
    const of = history(
      { from: 0, to: 10, online: 3 },
      { from: 10, to: 12, up: 0 },
      { from: 14, to: BUCKETS, online: 9 },
    );
    expect(describeChart(dataOf(of))).toBe(
      "Between 3 and 9 players were online. Offline: 13:50–14:00 UTC. Not measured: 14:00–14:10 UTC.",
    );
  });

  it("tells days in a longer range, and names the last three of many", () => {
    const of = historyOf(
      "7d",
      ...[0, 10, 20, 30].map((from) => ({ from, to: from + 8, online: 7, lowest: 2, highest: 1900 })),
    );
    expect(describeChart(dataOf(of, { range: "7d" }))).toBe(
      "Between 2 and 1,900 players were online. Not measured: 21 Nov 22:00–23:00 UTC, 22 Nov 03:00–04:00 UTC, " +
        "22 Nov 08:00 – 28 Nov 13:00 UTC and 1 earlier.",
    );
  });
});

describe("the sparkline", () => {
  it("draws ten minutes a point, by steps from one to the next", () => {
    const of = emptyHistory(288);
    of.online.splice(4, 8, 0, 0, 10, 10, 4, 6, 5, 5);
    expect(drawSparkline(of)).toContain('d="M2.5 30l1-28 1 14h1"');
  });

  it("breaks at gaps and shows a lone measurement", () => {
    const of = history({ from: 0, to: 4, online: 10 }, { from: 10, to: 11, online: 10 });
    expect(drawSparkline(of)).toContain('d="M0.5 2h1M5.5 2h.5"');
  });

  it("shades outages and says its peak", () => {
    const svg = drawSparkline(history({ from: 0, to: 4, online: 42 }, { from: 4, to: 10, up: 0 }));
    expect(svg).toContain('<rect class="chart-outage" x="2" width="3" height="32"/>');
    const short = drawSparkline(history({ from: 0, to: 4, online: 42 }, { from: 4, to: 6, up: 0 }));
    expect(short).toContain('<rect class="chart-outage is-short" x="2" width="3" height="32"/>');
    expect(svg).toContain('aria-label="Last 24 hours: at most 42 online"');
    expect(XMLValidator.validate(svg)).toBe(true);
  });
});
