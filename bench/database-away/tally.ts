import type { Answer } from "./kinds.ts";

interface Row {
  answered: number;
  fromMemory: number;
  refused: number;
  readonly others: Map<number, number>;
  slowestMs: number;
}

/** What became of requests, by kind. */
export class Tally {
  readonly #rows = new Map<string, Row>();

  async take(kind: string, asked: Promise<Answer>): Promise<void> {
    const began = performance.now();
    const row = this.#rows.get(kind) ?? newRow();
    this.#rows.set(kind, row);
    const answer = await asked;
    row.slowestMs = Math.max(row.slowestMs, performance.now() - began);
    if (answer.status === 503 && answer.hasRetryAfter) row.refused++;
    else if (answer.status === 503 || answer.status === 0 || answer.status >= 500)
      row.others.set(answer.status, (row.others.get(answer.status) ?? 0) + 1);
    else {
      row.answered++;
      if (answer.hasAge) row.fromMemory++;
    }
  }

  /** In Markdown. */
  table(): string {
    const head = ["asked", "answered", "with Age", "refused", "failed", "slowest"];
    const rows = [...this.#rows].map(([kind, { answered, fromMemory, refused, others, slowestMs }]) => {
      const failed = [...others].map(([status, count]) => `${count} × ${status || "no answer"}`).join(", ");
      return [kind, answered, fromMemory, refused, failed || 0, `${slowestMs.toFixed(0)} ms`];
    });
    return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  }
}

function newRow(): Row {
  return { answered: 0, fromMemory: 0, refused: 0, others: new Map(), slowestMs: 0 };
}
