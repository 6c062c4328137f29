import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { describe as describeHistory, drawChart, drawSparkline } from "../src/servers/chart.ts";
import { BUCKETS, emptyHistory, type History, INTERVAL_S } from "../src/servers/history.ts";

const START = Date.UTC(2026, 10, 21, 13, 0) / 1000;
const times = Array.from({ length: BUCKETS }, (_, place) => START + place * INTERVAL_S);

/** A history with these stretches of one count each; everything else is unknown. */
function history(
  ...stretches: { from: number; to: number; online?: number; queue?: number; up?: boolean }[]
): History {
  const made = emptyHistory();
  for (const { from, to, online = null, queue = null, up = true } of stretches) {
    made.online.fill(online, from, to);
    made.queue.fill(queue, from, to);
    made.up.fill(up, from, to);
  }
  return made;
}

function chart(of: History, more: { name?: string; maxOnline?: number | null } = {}): string {
  return drawChart({ name: "Server", times, history: of, maxOnline: null, ...more });
}

function pathsOf(svg: string, kind: "online" | "queue" | "area"): string[] {
  return [...svg.matchAll(new RegExp(`<path class="chart-${kind}" d="([^"]*)"`, "g"))].map(
    (match) => match[1] ?? "",
  );
}

function points(path: string): number {
  return path.split(/[ML]/).filter(Boolean).length;
}

describe("the chart", () => {
  it("is well-formed and says what it shows", () => {
    const svg = chart(history({ from: 0, to: BUCKETS, online: 10 }));
    expect(XMLValidator.validate(svg)).toBe(true);
    const root = new XMLParser({ ignoreAttributes: false }).parse(svg).svg;
    expect(root["@_role"]).toBe("img");
    expect(root["@_aria-labelledby"]).toBe(`${root.title["@_id"]} ${root.desc["@_id"]}`);
    expect(root.title["#text"]).toBe("Players on Server in the last 24 hours");
    expect(root.desc["#text"]).toBe("Between 10 and 10 players were online.");
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
        { from: 12, to: 18, up: false },
        { from: 18, to: BUCKETS, online: 10 },
      ),
    );
    expect(pathsOf(svg, "online")).toHaveLength(2);
    expect(svg.match(/<rect class="chart-outage"/g)).toHaveLength(1);
    expect(svg).toContain('<rect class="chart-outage" x="30" y="20" width="15"');
    expect(svg).toContain("<title>Offline 14:00–14:30 UTC</title>");
  });

  it("does not shade what nobody measured", () => {
    const svg = chart(history({ from: 0, to: 100, online: 10 }));
    expect(svg).not.toContain("chart-outage");
  });

  it("draws a lone measurement as a dot", () => {
    const svg = chart(history({ from: 50, to: 51, online: 10, queue: 3 }));
    expect(pathsOf(svg, "online")).toEqual([]);
    expect(svg.match(/<circle class="chart-dot is-online"/g)).toHaveLength(1);
    expect(svg.match(/<circle class="chart-dot is-queue"/g)).toHaveLength(1);
  });

  it("draws the queue as a line of its own, and none where no server tells", () => {
    expect(pathsOf(chart(history({ from: 0, to: 20, online: 10, queue: 0 })), "queue")).toHaveLength(1);
    expect(pathsOf(chart(history({ from: 0, to: 20, online: 10 })), "queue")).toEqual([]);
  });

  it("draws more players higher, all of them inside the frame", () => {
    const svg = chart(history({ from: 0, to: 2, online: 10 }, { from: 2, to: 4, online: 990, queue: 1500 }));
    const levels = (pathsOf(svg, "online")[0] ?? "")
      .split(/[ML]/)
      .filter(Boolean)
      .map((point) => Number(point.split(" ")[1]));
    expect(levels[3]).toBeLessThan(levels[0] ?? 0);
    for (const path of [...pathsOf(svg, "online"), ...pathsOf(svg, "queue"), ...pathsOf(svg, "area")]) {
      const ys = path
        .replace("Z", "")
        .split(/[ML]/)
        .filter(Boolean)
        .map((point) => Number(point.split(" ")[1]));
      expect(Math.min(...ys)).toBeGreaterThanOrEqual(20);
      expect(Math.max(...ys)).toBeLessThanOrEqual(270);
    }
  });

  it("shows the maximum where the server comes near it", () => {
    const svg = chart(history({ from: 0, to: 20, online: 600 }), { maxOnline: 1000 });
    expect(svg).toContain("chart-maximum");
    expect(svg).toContain("maximum 1,000");
  });

  it("leaves it out where it would press the line to the ground", () => {
    const svg = chart(history({ from: 0, to: 20, online: 6 }), { maxOnline: 1000 });
    expect(svg).not.toContain("chart-maximum");
  });

  it("shows counts above the maximum as they were", () => {
    const svg = chart(history({ from: 0, to: 20, online: 1200 }), { maxOnline: 1000 });
    expect(svg).toContain("maximum 1,000");
    expect(svg).toContain(">1,500<");
  });

  it("labels hours of UTC, midnight by its date", () => {
    const svg = chart(emptyHistory());
    const labels = [...svg.matchAll(/chart-hour-label[^>]*>([^<]*)</g)].map((match) => match[1]);
    expect(labels).toEqual(["15:00", "18:00", "21:00", "22 Nov", "03:00", "06:00", "09:00"]);
  });

  it("says so where nothing is known", () => {
    const svg = chart(emptyHistory());
    expect(XMLValidator.validate(svg)).toBe(true);
    expect(svg).toContain("Nothing was measured.");
    expect(svg).not.toContain("<path");
    expect(svg).not.toContain("NaN");
  });

  it("escapes a server's name", () => {
    const svg = chart(history({ from: 0, to: 5, online: 1 }), { name: `<script>alert("x")</script> & 'co'` });
    expect(svg).not.toContain("<script");
    expect(XMLValidator.validate(svg)).toBe(true);
    expect(svg).toContain("&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt; &amp; &#39;co&#39;");
  });

  it("carries neither styles nor colours nor scripts of its own", () => {
    const svg = chart(history({ from: 0, to: 9, online: 5, queue: 1 }, { from: 9, to: 12, up: false }), {
      maxOnline: 8,
    });
    expect(svg).not.toMatch(/style|fill=|stroke=|#[0-9a-f]{3}|\son\w+=/i);
  });

  it("is the same for the same figures", () => {
    const of = history({ from: 3, to: 200, online: 77, queue: 2 });
    expect(chart(of)).toBe(chart(of));
  });
});

describe("the chart in words", () => {
  it("says that a server was up without telling its players", () => {
    expect(describeHistory(times, history({ from: 0, to: BUCKETS }))).toBe("No online counts are known.");
  });

  it("tells range, outages and gaps", () => {
    const of = history(
      { from: 0, to: 10, online: 3 },
      { from: 10, to: 12, up: false },
      { from: 14, to: BUCKETS, online: 9 },
    );
    expect(describeHistory(times, of)).toBe(
      "Between 3 and 9 players were online. Offline: 13:50–14:00 UTC. Not measured: 14:00–14:10 UTC.",
    );
  });
});

describe("the sparkline", () => {
  it("draws a run of measurements by steps from one to the next", () => {
    const of = emptyHistory();
    of.online.splice(4, 3, 0, 10, 5);
    expect(drawSparkline(of)).toContain('d="M4.5 30l1 -28 1 14"');
  });

  it("breaks at gaps and shows a lone measurement", () => {
    const of = history({ from: 0, to: 2, online: 10 }, { from: 5, to: 6, online: 10 });
    expect(drawSparkline(of)).toContain('d="M0.5 2l1 0M5.5 2h.5"');
  });

  it("shades outages and says its peak", () => {
    const svg = drawSparkline(history({ from: 0, to: 4, online: 42 }, { from: 4, to: 10, up: false }));
    expect(svg).toContain('<rect class="chart-outage" x="4" width="6" height="32"/>');
    expect(svg).toContain('aria-label="Last 24 hours: at most 42 online"');
    expect(XMLValidator.validate(svg)).toBe(true);
  });

  it("stays flat and well-formed where nobody plays or nothing is known", () => {
    expect(drawSparkline(history({ from: 0, to: 2, online: 0 }))).toContain('d="M0.5 30l1 0"');
    const unknown = drawSparkline(emptyHistory());
    expect(unknown).toContain('aria-label="Last 24 hours: no counts known"');
    expect(XMLValidator.validate(unknown)).toBe(true);
  });
});
