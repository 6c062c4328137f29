import { describe, expect, it } from "vitest";
import { readQueue } from "../../src/servers/poller/adapters/details.ts";

describe("queueOf", () => {
  it.each([
    ["FiveM's variable", { info: { vars: { sv_queueCount: "12" } } }, 12],
    ["an empty queue of FiveM", { info: { vars: { sv_queueCount: "0" } } }, 0],
    ["FiveM's text", { info: { vars: { Queue: "12 in queue" } } }, 12],
    ["the variable before the text", { info: { vars: { Queue: "99", sv_queueCount: "3" } } }, 3],
    [
      "the text, where the variable is empty",
      { info: { vars: { Queue: "5 waiting", sv_queueCount: "" } } },
      5,
    ],
    ["variables outside of info", { vars: { sv_queue: 4 } }, 4],
    ["DayZ's tag", { tags: ["battleye", "external", "lqs9", "etm2.0"] }, 9],
    ["Rust's tag", { tags: ["mp300", "cp298", "qp41", "v2592"] }, 41],
    ["Squad's session", { attributes: { PUBLICQUEUE_I: "8", RESERVEDQUEUE_I: "1" } }, 9],
    ["Squad's rules", { rules: { PublicQueue_i: "8" } }, 8],
    ["a plain queue", { queue: 15 }, 15],
  ])("reads %s", (_, raw, queue) => {
    expect(readQueue(raw)).toBe(queue);
  });

  it.each([
    ["nothing", undefined],
    ["no queue at all", { info: { vars: { sv_maxClients: "64" } }, tags: ["mp300"] }],
    ["two numbers", { info: { vars: { Queue: "3 of 64" } } }],
    ["no number", { info: { vars: { Queue: "closed" } } }],
    ["a negative number", { info: { vars: { sv_queueCount: "-1" } } }],
    ["a fraction", { queue: 1.5 }],
    ["a list of who waits for what nobody knows", { queue: [1, 2, 3] }],
    ["tags that only begin alike", { tags: ["lqsx5", "qp5x", "aqp5", "lqs", "qp-3"] }],
    ["variables that are null", { info: { vars: null }, vars: null }],
    ["variables that are inherited", Object.create({ queue: 5 })],
  ])("makes nothing up from %s", (_, raw) => {
    expect(readQueue(raw)).toBeNull();
  });

  it("reads a text of any length: steps by the square of it would outlast a test", () => {
    expect(readQueue({ queue: "-".repeat(1_000_000) })).toBeNull();
  });
});
