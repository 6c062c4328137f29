import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutRows } from "../../src/commands/backup/row-parts.ts";

const MEGABYTE = 1024 * 1024;

async function cut(bytes: Buffer, sizes: readonly number[]) {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = sizes[turn % sizes.length] ?? 1;
      yield bytes.subarray(at, at + size);
      at += size;
    }
  }
  const parts: { content: Buffer; rows: number }[] = [];
  for await (const part of cutRows(chunks())) parts.push(part);
  return parts;
}

describe("cutRows", () => {
  it("loses no byte of any rows in any chunks, and ends each part with a row", async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 900_000 }), { minLength: 1, maxLength: 12 });
    const sizes = fc.array(fc.integer({ min: 1_000, max: 700_000 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(lengths, sizes, async (rows, chunks) => {
        const bytes = Buffer.concat(
          rows.map((length, row) => Buffer.from(`${String(row % 10).repeat(length)}\n`)),
        );
        const parts = await cut(bytes, chunks);
        const unpacked = parts.map(({ content }) => gunzipSync(content));
        expect(Buffer.concat(unpacked).equals(bytes)).toBe(true);
        expect(unpacked.every((part) => part.at(-1) === 10)).toBe(true);
        expect(parts.reduce((sum, part) => sum + part.rows, 0)).toBe(rows.length);
      }),
      { numRuns: 10 },
    );
  });

  it("cuts many rows at a megabyte, and leaves one that is longer whole", async () => {
    const many = Buffer.from("0123456789\n".repeat(400_000));
    const parts = await cut(many, [65_536]);
    expect(parts.length).toBe(Math.ceil(many.length / MEGABYTE));
    const long = Buffer.from(`${"x".repeat(3 * MEGABYTE)}\n`);
    expect(await cut(long, [65_536])).toHaveLength(1);
  });
});
