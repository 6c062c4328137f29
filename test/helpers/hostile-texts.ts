/** Letters of a description at most. */
export const LENGTH = 20_000;

/** As many whole repeats as a description has room for. */
export function filledWith(text: string): string {
  return text.repeat(Math.floor(LENGTH / text.length));
}

const patterns = [
  ...["[", "[a](", "[a](<", "![", "[[]()]", "[a][b]", "[\n", "*a_", "**a", "****", "_a__", "**x* ", "~~a"],
  ...[
    ">",
    "> ",
    "> - ",
    "- ",
    "1. ",
    "* - + ",
    "`",
    "`a``b",
    "<",
    "<!--",
    "<![CDATA[",
    "<http:",
    "&",
    "&amp;",
  ],
  ...["\\", "\n", "a\n-\n", "```\n", "a  \n", "#", "# ", "http://a.b ", "mailto:a@b.c ", "http:", '[a](b "'],
];
const others: [string, string][] = [
  ["nested brackets", `${"[".repeat(LENGTH / 2)}${"]".repeat(LENGTH / 2)}`],
  ["a wide table", `|${"a|".repeat(5_000)}\n|${"-|".repeat(5_000)}`],
  ["a table to fill up", `|${"a|".repeat(255)}\n|${"-|".repeat(255)}\n${"|\n".repeat(9_000)}`],
  ["a long table", `|a|b|\n|-|-|\n${"|x|y|\n".repeat(3_300)}`],
  ["deep lists", Array.from({ length: 195 }, (_, depth) => `${" ".repeat(depth)}- a`).join("\n")],
  ["a long address", `http://example.com/${"*".repeat(19_000)}a`],
  ["quotes in a quote that go on without marks", filledWith(`> >\n${"a\n".repeat(10)}`)],
  ["deep quotes that go on without marks", filledWith(`${">".repeat(28)}\n${"a\n".repeat(10)}`)],
  ["a quote for each line", filledWith("> a\n\n")],
];

/** Texts of a description's length that cost a parser as much as somebody could think of, each with its name. */
export const HOSTILE_TEXTS: readonly (readonly [string, string])[] = [
  ...patterns.map((each): [string, string] => [each, filledWith(each)]),
  ...others,
];
