import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Format, readRecords } from "../../src/exchange/import/input/formats.ts";
import { openInput } from "../../src/exchange/import/input/source.ts";
import { BrokenFileError, Unreadable } from "../../src/exchange/import/input/unreadable.ts";
import { parseJson } from "../../src/words/text/json.ts";

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
const packed = gzipSync(JSON.stringify(twoRecords));
const latin1 = (text: string) => Buffer.from(text, "latin1");

describe("a JSON array", () => {
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
      { numRuns: 250 },
    );
  });

  it.each([
    ['[{"id":1},{"id":2}', "the file ends within record 2; is it cut off?"],
    ['{"id":1}\n{"id":2,"na', "the file ends within record 2; is it cut off?"],
    ['[{"id":1},{"id":"x', "the file ends within record 2; is it cut off?"],
    ['[{"id":1},{"id":}]', "record 2 is not valid JSON"],
    ["[1,2,]", "record 3 is not valid JSON"],
    ['[{"id":1}}', "record 1 is not valid JSON"],
    ["[1][2]", "there is more after the end of the JSON array"],
    ['[{"id":1}] x', "there is more after the end of the JSON array"],
  ])("refuses %s", async (text, message) => {
    expect(await failureOf(text)).toBe(message);
    expect(await failureOf(text, { chunk: 1 })).toBe(message);
  });

  it("is read line by line, with any line end and blank lines between (NDJSON)", async () => {
    const text = '\n{"id":1,"name":"Щит"}\r\n\r\n{"id":2,"name":"a,b;c"}';
    expect(await read(text)).toEqual(twoRecords);
    expect(await read(text, { chunk: 1 })).toEqual(twoRecords);
  });

  it("continues after a line that is not JSON (NDJSON)", async () => {
    const [first, second, third] = await read('{"id":1}\n{"id":\n{"id":3}\n');
    expect([first, third]).toEqual([{ id: 1 }, { id: 3 }]);
    expect(second).toEqual(new Unreadable("refusals.json"));
  });
});

describe("CSV", () => {
  it.each<[content: string, records: unknown[], options?: ReadOptions]>([
    ["id,name\n1,Щит\n", [{ id: "1", name: "Щит" }]],
    ["id\tname\n1\tЩит\n", [{ id: "1", name: "Щит" }]],
    ['"a,b,c,d";e\n1;2\n', [{ "a,b,c,d": "1", e: "2" }]],
    ["id|name\n1|a,b,c\n", [{ id: "1", name: "a,b,c" }], { delimiter: "|" }],
    ['id,name\r\n1,"a\nb,""c"""\r\n', [{ id: "1", name: 'a\nb,"c"' }]],
    [
      "id,,name,\n1,x,a,\n\n2,y,b,\n",
      [
        { id: "1", name: "a" },
        { id: "2", name: "b" },
      ],
    ],
    ["[id],name\n1,a\n", [{ "[id]": "1", name: "a" }], { format: "csv" }],
    // A first line may name the delimiter.
    ["sep=;\r\nid;name\r\n1;A\r\n", [{ id: "1", name: "A" }]],
    ['"sep=,"\nid,name\n1,A\n', [{ id: "1", name: "A" }]],
    ["\ufeffSEP=\t\nid\tname\n1\tA\n", [{ id: "1", name: "A" }]],
    ["sep=;\nid|name\n1|A\n", [{ id: "1", name: "A" }], { delimiter: "|" }],
  ])("reads %j", async (content, records, options) => {
    expect(await read(content, options)).toEqual(records);
    expect(await read(content, { ...options, chunk: 1 })).toEqual(records);
  });

  it("continues after a row with another number of cells", async () => {
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
  ])("refuses %j", async (text, message) => {
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
      { numRuns: 150 },
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
});

describe("encodings", () => {
  it.each(["[]", " [ \n] \n", "\ufeff [\n] "])("reads %j as a file without records", async (text) => {
    expect(await read(text)).toEqual([]);
  });

  it("skips a UTF-8 byte order mark, in each format", async () => {
    expect(await read('\ufeff[{"id":1}]')).toEqual([{ id: 1 }]);
    expect(await read('\ufeff{"id":1}\n')).toEqual([{ id: 1 }]);
    expect(await read("\ufeffid\n1\n", { chunk: 1 })).toEqual([{ id: "1" }]);
  });

  it.each([
    ["the file is UTF-16; save it as UTF-8", Buffer.from('\ufeff[{"id":1}]', "utf16le")],
    ["the file is UTF-16; save it as UTF-8", Buffer.from('[{"id":1}]', "utf16le")],
    ["the file is UTF-16; save it as UTF-8", Buffer.from('\ufeff[{"id":1}]', "utf16le").swap16()],
    ["the file is not UTF-8 (wrong between bytes 0 and 12); save it as UTF-8", latin1('[{"id":"\xd9"}]')],
    ["the file is not UTF-8 (wrong in its last letter); save it as UTF-8", latin1('{"id":1}\n\xd0')],
    ["the gzip data end too early; is the file cut off?", packed.subarray(0, packed.length - 9)],
    ["the gzip data are damaged", Buffer.from(packed).fill(0x55, 12, 30)],
  ])("refuses with: %s", async (message, bytes) => {
    expect(await failureOf(bytes)).toBe(message);
    expect(await failureOf(bytes, { chunk: 1 })).toMatch(/UTF-16|UTF-8|gzip/);
  });

  it("reads a gzip file of several parts", async () => {
    const parts = [gzipSync('{"id":1}\n'), gzipSync('{"id":2}\n')];
    expect(await read(Buffer.concat(parts))).toEqual([{ id: 1 }, { id: 2 }]);
  });
});

describe("a record without an end", () => {
  const endless = "x".repeat(1_100_000);

  it.each([
    ["JSON", `[{"id":1},{"id":"${endless}`, "record 2"],
    ["NDJSON", `{"id":1}\n{"id":"${endless}`, "record 2"],
    ["NDJSON with an end", `{"id":1}\n{"id":"${endless}"}\n`, "record 2"],
    ["JSON with an end", `[{"id":"${endless}"}]`, "record 1"],
    ["CSV", `id\n1\n"${endless}`, "record 2"],
    ["white space", " ".repeat(1_100_000), "record 1"],
    ["one word", endless, "the first row"],
  ])("is refused: %s", async (_, text, what) => {
    expect(await failureOf(text, { chunk: 65_536 })).toBe(`${what} has more than 1000000 characters`);
  });

  it("may be as long as 1,000,000 characters", async () => {
    const record = { id: "x".repeat(1_000_000 - '{"id":""}'.length) };
    expect(await read(JSON.stringify([record]), { chunk: 65_536 })).toEqual([record]);
  });
});

describe("a file without records", () => {
  const zip = (text: string) => latin1("PK\x03\x04".padEnd(30, "\0").concat(text));

  it.each<[content: string | Buffer, message: RegExp, options?: ReadOptions]>([
    ["", /^the file is empty; /],
    ["\ufeff \n\t", /^the file is empty; /],
    ["<!doctype html>\n<title>502</title>", /^the file is HTML or XML/],
    ["null", /no records below it/],
    ["id;name\r\n", /no records below it/],
    ['{\n "error": "rate limit"\n}', /^record 1 is not JSON on one line; .* need \[ and \] around them all/],
    ["{}", /^this is no JSON array$/, { format: "json" }],
    [zip("items.json"), /a zip archive.*; unpack it first$/],
    [zip("[Content_Types].xml"), /a spreadsheet; save the sheet as CSV/],
    [zip("mimetypeapplication/vnd.oasis"), /a spreadsheet/],
    [latin1("\xd0\xcf\x11\xe0\xa1\xb1"), /an old Excel file/],
    [latin1("BZh91AY&SY"), /packed with bzip2.*bzip2 -dc$/],
    [latin1("\xfd7zXZ\x00\x00"), /packed with xz.*xz -dc$/],
    [latin1("\x28\xb5\x2f\xfd\x04"), /packed with zstd.*zstd -dc$/],
    [latin1("items.json".padEnd(257, "\0").concat("ustar\x0000")), /a tar archive/],
    [latin1("SQLite format 3\0"), /an SQLite database/],
  ])("is called what it is, packed or not (%#)", async (content, message, options) => {
    expect(await failureOf(content, options)).toMatch(message);
    expect(await failureOf(content, { ...options, chunk: 1 })).toMatch(message);
    expect(await failureOf(gzipSync(content), options)).toMatch(message);
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
      { numRuns: 150 },
    );
  });

  const more = "--records is for one JSON object; there is more after its end";

  it.each<[text: string, message: string | RegExp, list?: string]>([
    ['{"items":[{"id":1}', /ends within record 1/],
    ['{"items":[{"id":1}]', /ends within record 2/],
    ['{"items":[{"id":1},', /ends within record 2/],
    [
      '{"items":[],"x":{"servers":[1]}}',
      'there is no list at "x.y"; the file is an object with lists in it, read by --records items or --records x.servers',
      "x.y",
    ],
    ['{"items":', /ends within record 1/],
    ['{"items":{}}', 'there is no list at "items"'],
    ["[1]", /^--records is for a JSON object/],
    ['{"items":[{"id":1}]}\n{"items":[{"id":2}]}', more],
    ['{"data":{"n":"}"},"items":[{"id":1}]}{"items":[]}', more],
  ])("is refused: %s", async (text, message, list = "items") => {
    for (const chunk of [1, 1 << 20]) {
      const failure = await failureOf(text, { list, chunk });
      if (typeof message === "string") expect(failure).toBe(message);
      else expect(failure).toMatch(message);
    }
  });

  it("is named to a caller who did not say where it is", async () => {
    const advice = "the file is an object with a list in it, read by --records items";
    expect(await failureOf('{\n  "items": [\n    {"id": 1}\n  ]\n}')).toBe(advice);
    expect(await failureOf('{"items":[{"id":1}]}', { format: "json" })).toBe(advice);
    const long = JSON.stringify({ items: Array.from({ length: 200_000 }, (_, id) => ({ id })) });
    expect(await failureOf(long, { chunk: 65_536 })).toBe(advice);
  });

  it("is read without holding the values before it in memory", async () => {
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
    ["packed", gzipSync("{}x\n")],
  ])("closes an input that is %s", async (_, start) => {
    const input = Readable.from([start, Buffer.alloc(100_000, " "), Buffer.alloc(100_000, " ")]);
    const source = await openInput("-", input);
    await expect(drain(readRecords(source.bytes()))).rejects.toThrow(BrokenFileError);
    await expect.poll(() => input.destroyed).toBe(true);
  });

  it("stops reading a silent standard input on request", async () => {
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
