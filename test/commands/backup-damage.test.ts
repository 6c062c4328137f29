import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { readArchive } from "../../src/commands/backup/archive-reader.ts";
import { ArchiveWriter, openFile } from "../../src/commands/backup/archive-writer.ts";
import { BackupError } from "../../src/commands/backup/backup-error.ts";
import { checkBackup } from "../../src/commands/backup/read-backup.ts";
import { takeBackup } from "../../src/commands/backup/take-backup.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { useFolder } from "../helpers/folder.ts";
import { fillSite, placesIn } from "../helpers/full-site.ts";

const { folder } = useFolder();
const database = useTestDatabase();
let whole: Buffer;

beforeAll(async () => {
  await fillSite(database.db);
  await takeBackup(database.db, path.join(folder, "whole.tar"), { site: placesIn(folder) });
  whole = await readFile(path.join(folder, "whole.tar"));
});

/** Why a file of such bytes is refused; undefined if it is not. */
async function refusal(bytes: Buffer): Promise<string | undefined> {
  const file = path.join(folder, "damaged.tar");
  await writeFile(file, bytes);
  try {
    await checkBackup(file);
    return undefined;
  } catch (error) {
    if (error instanceof BackupError) return error.message;
    throw error;
  }
}

describe("the check of a backup", () => {
  it("finds any end that comes too early, and says so", async () => {
    const place = fc.integer({ min: 0, max: whole.length - 1 });
    await fc.assert(
      fc.asyncProperty(place, async (end) => {
        expect(await refusal(whole.subarray(0, end))).toMatch(/^it is (not whole|empty|not a backup)/);
      }),
      { numRuns: 40 },
    );
  });

  it("finds any byte that is another one", async () => {
    const change = fc.tuple(fc.integer({ min: 0, max: whole.length - 1 }), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(change, async ([place, by]) => {
        const bytes = Buffer.from(whole);
        bytes[place] = (bytes[place] ?? 0) ^ by;
        expect(await refusal(bytes)).toMatch(/^it (is damaged|is not|was changed|was written by a newer)/);
      }),
      { numRuns: 40 },
    );
  });

  it("names the file that is damaged", async () => {
    const bytes = Buffer.from(whole);
    const header = bytes.indexOf("data/users/000001.tsv.gz");
    const at = header + 512 + 20;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(await refusal(bytes)).toBe("it is damaged: data/users/000001.tsv.gz is not what was written");
  });

  it("detects added and missing files in an archive that somebody has rebuilt", async () => {
    expect(await refusal(Buffer.concat([whole, Buffer.from("x")]))).toBe(
      "it is damaged: there is something after complete.json",
    );
    const rewrite = async (keep: (name: string) => boolean) => {
      const file = path.join(folder, "rewritten.tar");
      const writer = new ArchiveWriter(await openFile(file, { replaces: true }), new Date());
      let seal = { rows: {}, pictureFiles: 0 };
      for await (const { name, content } of readArchive(bytesOf(whole))) {
        if (name === "complete.json") seal = JSON.parse(content.toString());
        else if (keep(name)) await writer.add(name, content);
      }
      await writer.complete({ rows: seal.rows, pictureFiles: seal.pictureFiles });
      return refusal(await readFile(file));
    };
    expect(await rewrite(() => true)).toBeUndefined();
    expect(await rewrite((name) => !name.startsWith("data/users"))).toBe(
      "it has 0 rows of users, and 1 were written",
    );
  });

  it.each([
    ["a text", Buffer.from("hello\n".repeat(200)), "it is not a backup of Almanac"],
    ["nothing", Buffer.alloc(0), "it is empty"],
    ["zeros", Buffer.alloc(4096), "it is not a backup of Almanac"],
  ])("says of %s that it is none", async (_, bytes, reason) => {
    expect(await refusal(bytes)).toBe(reason);
  });

  it("leaves one of a later format to a later version", async () => {
    const file = path.join(folder, "later.tar");
    const writer = new ArchiveWriter(await openFile(file, { replaces: true }), new Date());
    await writer.add("backup.json", Buffer.from('{"format": "almanac-backup", "version": 2}'));
    await writer.complete({ rows: {}, pictureFiles: 0 });
    expect(await refusal(await readFile(file))).toMatch(/newer version of Almanac/);
  });
});

async function* bytesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
