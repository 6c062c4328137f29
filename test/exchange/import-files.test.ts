import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type Format, readRecords } from "../../src/exchange/import/input/formats.ts";
import { openInput } from "../../src/exchange/import/input/source.ts";
import { BrokenFileError, Unreadable } from "../../src/exchange/import/input/unreadable.ts";
import { parseJson } from "../../src/words/text/json.ts";

const folder = mkdtempSync(path.join(tmpdir(), "almanac-import-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface ReadOptions {
  format?: Format;
  delimiter?: string;
  list?: string;
  /** Bytes that arrive at once. */
  chunk?: number;
}

/** Reads from standard input, in chunks. */
async function read(content: string | Uint8Array, { chunk = 1 << 20, ...options }: ReadOptions = {}) {
  const bytes = Buffer.from(content);
  function* chunks() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const source = await openInput("-", Readable.from(chunks()));
  return drain(readRecords(source.bytes(), options));
}

async function drain(records: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const record of records) all.push(record);
  return all;
}

/** How many records were read before the file turned out to be broken, and why. */
async function failureOf(content: string | Uint8Array, options?: ReadOptions): Promise<string> {
  try {
    await read(content, options);
  } catch (error) {
    if (error instanceof BrokenFileError) return error.message;
    throw error;
  }
  throw new Error("the file was read to its end");
}

const twoRecords = [
  { id: 1, name: "Щит" },
  { id: 2, name: "a,b;c" },
];

describe("a JSON array", () => {
  it.each([1, 2, 3, 7, 1000])(
    "is read in chunks of %i bytes, in the middle of letters too",
    async (chunk) => {
      expect(await read(JSON.stringify(twoRecords), { chunk })).toEqual(twoRecords);
      expect(await read(JSON.stringify(twoRecords, null, 2), { chunk })).toEqual(twoRecords);
    },
  );

  it("is read as parseJson reads the whole, however it is cut and written", async () => {
    const arrays = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 });
    const spaces = fc.constantFrom(undefined, 1, "\t", "\r\n");
    await fc.assert(
      fc.asyncProperty(arrays, spaces, fc.integer({ min: 1, max: 40 }), async (array, space, chunk) => {
        const text = JSON.stringify(array, null, space as string);
        expect(await read(text, { chunk, format: "json" })).toEqual(parseJson(text));
      }),
      { numRuns: 150 },
    );
  });

  it("takes no text that JSON.parse would not take", async () => {
    const pieces = fc.array(
      fc.constantFrom("[", "]", "{", "}", ",", ":", '"', "\\", "1", "null", " ", '"a"'),
    );
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const text = `[${parts.join("")}]`;
        const accepted = await read(text, { format: "json" }).catch((error: unknown) => {
          if (error instanceof BrokenFileError) return undefined;
          throw error;
        });
        expect(accepted).toEqual(parseOrUndefined(text));
      }),
      { numRuns: 500 },
    );
  });

  it("may be empty", async () => {
    expect(await read(" [ \n] \n")).toEqual([]);
  });

  it.each([
    ['[{"id":1},{"id":2}', "the file ends within record 2; is it cut off?"],
    ['[{"id":1},', "the file ends within record 2; is it cut off?"],
    ['[{"id":1},{"id":"x', "the file ends within record 2; is it cut off?"],
    ["[", "the file ends within record 1; is it cut off?"],
    ['[{"id":1},{"id":}]', "record 2 is not valid JSON"],
    ['[{"id":1}{"id":2}]', "record 1 is not valid JSON"],
    ["[1,2,]", "record 3 is not valid JSON"],
    ["[01]", "record 1 is not valid JSON"],
    ['[{"id":1}}', "record 1 is not valid JSON"],
    ['[{"id":1}] x', "there is more after the end of the JSON array"],
    ["[1][2]", "there is more after the end of the JSON array"],
  ])("is broken: %s", async (text, message) => {
    expect(await failureOf(text)).toBe(message);
    expect(await failureOf(text, { chunk: 1 })).toBe(message);
  });

  it("names the right record however many were read at once", async () => {
    const text = `[${Array.from({ length: 400 }, (_, index) => `{"id":${index}}`).join(",")},{"id":}]`;
    expect(await failureOf(text)).toBe("record 401 is not valid JSON");
  });
});

describe("NDJSON", () => {
  it("is read line by line, with any line end and blank lines between", async () => {
    const text = '\n{"id":1,"name":"Щит"}\r\n\r\n{"id":2,"name":"a,b;c"}';
    expect(await read(text)).toEqual(twoRecords);
    expect(await read(text, { chunk: 1 })).toEqual(twoRecords);
  });

  it("goes on after a line that is no JSON", async () => {
    const [first, second, third] = await read('{"id":1}\n{"id":\n{"id":3}\n');
    expect([first, third]).toEqual([{ id: 1 }, { id: 3 }]);
    expect(second).toEqual(new Unreadable("refusals.json"));
  });

  it("is cut off when its last line is no JSON and has no end", async () => {
    expect(await failureOf('{"id":1}\n{"id":2,"na')).toBe("the file ends within record 2; is it cut off?");
  });

  it("is not what a single object of several lines is", async () => {
    expect(await failureOf(JSON.stringify({ id: 1 }, null, 2))).toMatch(/need \[ and \] around them all/);
  });
});

describe("CSV", () => {
  it.each([",", ";", "\t"])("finds out its delimiter %j", async (delimiter) => {
    const text = `id${delimiter}name\n1${delimiter}Щит\n`;
    expect(await read(text)).toEqual([{ id: "1", name: "Щит" }]);
    expect(await read(text, { chunk: 1 })).toEqual([{ id: "1", name: "Щит" }]);
  });

  it("counts delimiters outside quotes only", async () => {
    expect(await read('"a,b,c,d";e\n1;2\n')).toEqual([{ "a,b,c,d": "1", e: "2" }]);
  });

  it("takes another delimiter when told", async () => {
    expect(await read("id|name\n1|a,b,c\n", { delimiter: "|" })).toEqual([{ id: "1", name: "a,b,c" }]);
  });

  it("has quotes with line ends, delimiters and doubled quotes in them", async () => {
    const text = 'id,name\r\n1,"a\nb,""c"""\r\n2,d\r\n';
    expect(await read(text)).toEqual([
      { id: "1", name: 'a\nb,"c"' },
      { id: "2", name: "d" },
    ]);
  });

  it("leaves out columns without a name, and blank lines", async () => {
    expect(await read("id,,name,\n1,x,a,\n\n2,y,b,\n")).toEqual([
      { id: "1", name: "a" },
      { id: "2", name: "b" },
    ]);
  });

  it("goes on after a row with another number of cells", async () => {
    expect(await read("id,name\n1\n2,b\n3,c,d\n")).toEqual([
      new Unreadable("refusals.cells", { cells: 1, columns: 2 }),
      { id: "2", name: "b" },
      new Unreadable("refusals.cells", { cells: 3, columns: 2 }),
    ]);
  });

  it.each([
    ["id,id\n1,2\n", 'the first row names the field "id" twice'],
    ['id,"name\n1,a\n', "the first row has a quote without an end; is the file cut off?"],
    ['id,24" name\n1,a\n', expect.stringMatching(/^the first row has a quote in the wrong place; /)],
  ])("is broken: %j", async (text, message) => {
    expect(await failureOf(text)).toEqual(message);
  });

  const stray = new Unreadable("refusals.stray_quote", { written: '"24"" wheel"' });
  const endless = new Unreadable("refusals.endless_quote");

  it.each([
    ["in the middle of a cell", 'r1,24" Rims', stray],
    ["after a cell in quotes", 'r1,"a"b', stray],
    ["after a space", 'r1, "a"', stray],
    ["at the start of a cell", 'r1,"Tall', endless],
  ])("takes the rows after one with a stray quote %s", async (_, row, reason) => {
    for (const lineEnd of ["\n", "\r\n", "\r"]) {
      const text = ["id,name", "r0,First", row, "r2,Mid", "r3,Last"].join(lineEnd);
      for (const chunk of [1, 3, 1000]) {
        expect(await read(text, { chunk }), JSON.stringify(text)).toEqual([
          { id: "r0", name: "First" },
          reason,
          { id: "r2", name: "Mid" },
          { id: "r3", name: "Last" },
        ]);
      }
    }
  });

  it("finds each of several stray quotes, however far the next one is", async () => {
    const between = Array.from({ length: 100_000 }, (_, index) => `m${index},Middle of many`);
    const text = ["id,name", 'r1,"Tall', 'r2,"Wide', ...between, 'r3,Small"', "r4,Last"].join("\n");
    const records = await read(text, { chunk: 65_536 });
    expect(records.slice(0, 3)).toEqual([stray, endless, { id: "m0", name: "Middle of many" }]);
    expect(records.slice(-3)).toEqual([
      { id: "m99999", name: "Middle of many" },
      stray,
      { id: "r4", name: "Last" },
    ]);
    expect(records).toHaveLength(100_004);
  });

  it("warns of rows that two stray quotes make one of, which is valid", async () => {
    const warnings: string[] = [];
    const text = 'id,name\nr1,"Tall\nr2,Mid\nr3,Small"\nr4,"a\nb"\n';
    const bytes = Readable.from([Buffer.from(text)]);
    expect(await drain(readRecords(bytes, { warn: (warning) => warnings.push(warning) }))).toEqual([
      { id: "r1", name: "Tall\nr2,Mid\nr3,Small" },
      { id: "r4", name: "a\nb" },
    ]);
    expect(warnings).toEqual([
      "record 1 has line ends in quotes, and each line looks like a row; is a quote there by mistake?",
    ]);
  });

  it("reads what csv-parse reads", async () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "Щ", '"', ",", ";", "\n", "\r", " "), maxLength: 5 });
    const row = fc.array(cell, { minLength: 2, maxLength: 2 });
    const quoted = (text: string) => (/[",;\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const rows = fc.array(row, { minLength: 1, maxLength: 6 });
    const endings = fc.constantFrom("\n", "\r\n", "\r");
    await fc.assert(
      fc.asyncProperty(rows, endings, fc.integer({ min: 1, max: 9 }), async (cells, end, chunk) => {
        const text = [["id", "name"], ...cells].map((each) => each.map(quoted).join(",") + end).join("");
        const expected = parse(text, { columns: true, record_delimiter: ["\r\n", "\n", "\r"] });
        expect(await read(text, { chunk, format: "csv" })).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("takes quotes between tabs as letters", async () => {
    const text = 'id\tname\nr1\t"Tall\nr2\tMid\nr3\tSmall"\nr4\t24" Rims\nr5\t"a ""b"" c"\n"\t"';
    for (const chunk of [1, 1000]) {
      expect(await read(text, { chunk })).toEqual([
        { id: "r1", name: '"Tall' },
        { id: "r2", name: "Mid" },
        { id: "r3", name: 'Small"' },
        { id: "r4", name: '24" Rims' },
        { id: "r5", name: '"a ""b"" c"' },
        { id: '"', name: '"' },
      ]);
    }
    expect(await read('id\tname, "a"\n1\t"b\n', { delimiter: "\t" })).toEqual([
      { id: "1", 'name, "a"': '"b' },
    ]);
  });

  it("is recognised by the first character, unless told", async () => {
    expect(await read("[id],name\n1,a\n", { format: "csv" })).toEqual([{ "[id]": "1", name: "a" }]);
    expect(await failureOf("{}", { format: "json" })).toBe("this is no JSON array");
  });
});

describe("encodings", () => {
  it.each(["[]", "\ufeff [\n] "])("finds no records in %j, which says that there are none", async (text) => {
    expect(await read(text)).toEqual([]);
  });

  it("skips a UTF-8 byte order mark, in each format", async () => {
    expect(await read('\ufeff[{"id":1}]')).toEqual([{ id: 1 }]);
    expect(await read('\ufeff{"id":1}\n')).toEqual([{ id: 1 }]);
    expect(await read("\ufeffid\n1\n", { chunk: 1 })).toEqual([{ id: "1" }]);
  });

  it.each([
    ["with its mark", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('[{"id":1}]', "utf16le")])],
    ["without one", Buffer.from('[{"id":1}]', "utf16le")],
    ["the other way round", Buffer.from('\ufeff[{"id":1}]', "utf16le").swap16()],
  ])("refuses UTF-16 %s", async (_, bytes) => {
    expect(await failureOf(bytes)).toBe("the file is UTF-16; save it as UTF-8");
    expect(await failureOf(bytes, { chunk: 1 })).toMatch(/UTF-16|not UTF-8/);
  });

  it("refuses what is not UTF-8 instead of letting wrong letters in", async () => {
    const windows1251 = Buffer.concat([
      Buffer.from('[{"name":"'),
      Buffer.from([0xd9, 0xe8, 0xf2]),
      Buffer.from('"}]'),
    ]);
    expect(await failureOf(windows1251)).toBe(
      "the file is not UTF-8 (wrong between bytes 0 and 16); save it as UTF-8",
    );
    expect(await failureOf(Buffer.from('{"id":1}\n\xd0', "latin1"))).toBe(
      "the file is not UTF-8 (wrong in its last letter); save it as UTF-8",
    );
  });
});

describe("gzip", () => {
  const packed = gzipSync(JSON.stringify(twoRecords));

  it("may consist of several parts one after the other", async () => {
    const parts = [gzipSync('{"id":1}\n'), gzipSync('{"id":2}\n')];
    expect(await read(Buffer.concat(parts))).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it("is broken when it is cut off or damaged", async () => {
    expect(await failureOf(packed.subarray(0, packed.length - 9))).toBe(
      "the gzip data end too early; is the file cut off?",
    );
    const damaged = Buffer.from(packed);
    damaged.fill(0x55, 12, 30);
    expect(await failureOf(damaged)).toBe("the gzip data are damaged");
  });
});

describe("a record without an end", () => {
  const endless = "x".repeat(1_100_000);

  it.each([
    ["JSON", `[{"id":1},{"id":"${endless}`, 2],
    ["NDJSON", `{"id":1}\n{"id":"${endless}`, 2],
    ["NDJSON with an end", `{"id":1}\n{"id":"${endless}"}\n`, 2],
    ["JSON with an end", `[{"id":"${endless}"}]`, 1],
    ["CSV", `id\n1\n"${endless}`, 2],
  ])("of %s is not collected for ever", async (_, text, record) => {
    expect(await failureOf(text, { chunk: 65_536 })).toBe(
      `record ${record} has more than 1000000 characters`,
    );
  });

  it("may be as long as 1,000,000 characters", async () => {
    const record = { id: "x".repeat(1_000_000 - '{"id":""}'.length) };
    expect(await read(JSON.stringify([record]), { chunk: 65_536 })).toEqual([record]);
  });

  it("of white space alone is noticed, too", async () => {
    expect(await failureOf(" ".repeat(1_100_000))).toBe("record 1 has more than 1000000 characters");
  });

  it("is noticed without a line end in the file", async () => {
    expect(await failureOf(endless)).toMatch(/^record \d has more than 1000000 characters$/);
  });
});

describe("what is no list of records", () => {
  it.each([
    ["", /^the file is empty; /],
    [" \n\t", /^the file is empty; /],
    ["\ufeff", /^the file is empty; /],
    ["<!doctype html>\n<title>502</title>", /^the file is HTML or XML/],
    ["\n <?xml version='1.0'?><a/>", /^the file is HTML or XML/],
    ["null", /no records below it/],
    ['"Not Found"', /no records below it/],
    ["Service Unavailable, try again later\n", /no records below it/],
    ["id;name\r\n", /no records below it/],
    ['{\n "error": "rate limit"\n}', /^record 1 is not JSON on one line/],
  ])("%j is told as what it is", async (text, message) => {
    expect(await failureOf(text)).toMatch(message);
    expect(await failureOf(text, { chunk: 1 })).toMatch(message);
    expect(await failureOf(gzipSync(text))).toMatch(message);
  });

  it("is not empty if it was given", async () => {
    expect(await failureOf("", { format: "csv" })).toMatch(/^the file is empty/);
    expect(await failureOf("", { format: "json" })).toMatch(/^the file is empty/);
  });

  it.each([
    ["zip", "PK\x03\x04".padEnd(30, "\0").concat("items.json"), /a zip archive.*; unpack it first$/],
    [
      "xlsx",
      "PK\x03\x04".padEnd(30, "\0").concat("[Content_Types].xml"),
      /a spreadsheet; save the sheet as CSV/,
    ],
    ["ods", "PK\x03\x04".padEnd(30, "\0").concat("mimetypeapplication/vnd.oasis"), /a spreadsheet/],
    ["xls", "\xd0\xcf\x11\xe0\xa1\xb1", /an old Excel file/],
    ["bzip2", "BZh91AY&SY", /packed with bzip2.*bzip2 -dc$/],
    ["xz", "\xfd7zXZ\x00\x00", /packed with xz.*xz -dc$/],
    ["zstd", "\x28\xb5\x2f\xfd\x04", /packed with zstd.*zstd -dc$/],
    ["tar", "items.json".padEnd(257, "\0").concat("ustar\x0000"), /a tar archive/],
    ["SQLite", "SQLite format 3\0", /an SQLite database/],
  ])("%s is called by its name, packed or not", async (_, text, message) => {
    const bytes = Buffer.from(text, "latin1");
    expect(await failureOf(bytes)).toMatch(message);
    expect(await failureOf(bytes, { chunk: 1 })).toMatch(message);
    expect(await failureOf(gzipSync(bytes))).toMatch(message);
  });
});

describe("a list in an object", () => {
  const records = [
    { id: 1, name: '}]{["\\' },
    { id: 2, items: [{ a: "]" }] },
  ];
  const wrapped = {
    total: 2,
    note: 'items": [\\',
    data: { page: [1], items: records, more: null },
    items: [],
  };

  it.each([0, 2])("is read at its keys, however it is written (%i spaces)", async (indent) => {
    const text = JSON.stringify(wrapped, null, indent);
    for (const chunk of [1, 7, 1 << 20]) {
      expect(await read(text, { list: "data.items", chunk })).toEqual(records);
      expect(await read(text, { list: "items", chunk })).toEqual([]);
    }
  });

  it("is found among any other values", async () => {
    const key = fc.constantFrom("items", "data", "a", 'it"ems', "é\\");
    const values = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }));
    await fc.assert(
      fc.asyncProperty(
        values,
        values,
        fc.array(fc.jsonValue()),
        fc.integer({ min: 1, max: 9 }),
        async (before, after, list, chunk) => {
          const { items: _, ...others } = { ...before, ...after };
          const text = JSON.stringify({ ...others, wanted: list, after });
          expect(await read(text, { list: "wanted", chunk })).toEqual(parseJson(JSON.stringify(list)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    ['{"items":[{"id":1}', "items", /ends within record 1/],
    ['{"items":[{"id":1}]', "items", /ends within record 2/],
    ['{"items":[{"id":1},', "items", /ends within record 2/],
    ['{"items":', "items", /ends within record 1/],
    [
      '{"items":[],"x":{"servers":[1]}}',
      "x.y",
      'there is no list at "x.y"; the file is an object with lists in it, read by --records items or --records x.servers',
    ],
    ['{"items":{}}', "items", 'there is no list at "items"'],
    ["[1]", "items", /^--records is for a JSON object/],
  ])("is missed in %s at %s", async (text, list, message) => {
    for (const chunk of [1, 1 << 20]) {
      const failure = await failureOf(text, { list, chunk });
      if (typeof message === "string") expect(failure).toBe(message);
      else expect(failure).toMatch(message);
    }
  });

  it.each([
    '{"items":[{"id":1}]}\n{"items":[{"id":2}]}',
    '{"data":{"n":"}"},"items":[{"id":1}]}{"items":[]}',
    '{"items":[{"id":1}]}, []',
  ])("is not all there is in %s, which is refused", async (text) => {
    for (const chunk of [1, 1 << 20]) {
      expect(await failureOf(text, { list: "items", chunk })).toBe(
        "--records is for one JSON object; there is more after its end",
      );
    }
  });

  it("is looked for in the first object only", async () => {
    const text = '{"id":1}\n{"items":[{"id":2}]}\n';
    expect(await failureOf(text, { list: "items" })).toBe('there is no list at "items"');
  });

  it("is named to who did not say where it is", async () => {
    const advice = "the file is an object with a list in it, read by --records items";
    expect(await failureOf('{\n  "items": [\n    {"id": 1}\n  ]\n}')).toBe(advice);
    expect(await failureOf('{"items":[{"id":1}]}', { format: "json" })).toBe(advice);
    const long = JSON.stringify({ items: Array.from({ length: 200_000 }, (_, id) => ({ id })) });
    expect(await failureOf(long, { chunk: 65_536 })).toBe(advice);
  });

  it("is read without what stands before it being held in memory", async () => {
    const bytes = function* () {
      yield Buffer.from('{"before":[');
      for (let i = 0; i < 4_000; i++) yield Buffer.from(`"${"x".repeat(100_000)}",`);
      yield Buffer.from('0],"items":[1,2]}');
    };
    const source = await openInput("-", Readable.from(bytes()));
    const before = process.memoryUsage().heapUsed;
    const found = await drain(readRecords(source.bytes(), { list: "items" }));
    expect(found).toEqual([1, 2]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024);
  });
});

describe("opening a file", () => {
  it.each([
    ["broken at once", Buffer.from("\ufeffx", "utf16le")],
    ["broken later", Buffer.from('[{"id":1},x')],
    ["broken CSV", Buffer.from("id,id\n")],
    ["packed", gzipSync("{}x\n")],
  ])("lets go of an input that is %s", async (_, start) => {
    const input = Readable.from([start, Buffer.alloc(100_000, " "), Buffer.alloc(100_000, " ")]);
    const source = await openInput("-", input);
    await expect(drain(readRecords(source.bytes()))).rejects.toThrow(BrokenFileError);
    await expect.poll(() => input.destroyed).toBe(true);
  });

  it("ends a standard input that stays silent, when told to stop", async () => {
    const controller = new AbortController();
    const silent = new Readable({ read: () => undefined });
    const source = await openInput("-", silent);
    const reading = readRecords(source.bytes(controller.signal)).next();
    controller.abort(new Error("stopped"));
    await expect(reading).rejects.toThrow("stopped");
  });
});

function parseOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

describe("a first line that names the delimiter", () => {
  it.each([
    ["sep=;\r\nid;name\r\n1;A\r\n", ";"],
    ['"sep=,"\nid,name\n1,A\n', ","],
    ["\ufeffsep=\t\nid\tname\n1\tA\n", "tab"],
    ["SEP=|\nid|name\n1|A\n", "|"],
  ])("is no row: %j", async (content) => {
    expect(await read(content)).toEqual([{ id: "1", name: "A" }]);
    expect(await read(content, { chunk: 1 })).toEqual([{ id: "1", name: "A" }]);
  });

  it("is left out if the delimiter is given too", async () => {
    expect(await read("sep=;\nid|name\n1|A\n", { delimiter: "|" })).toEqual([{ id: "1", name: "A" }]);
  });
});
