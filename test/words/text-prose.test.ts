import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOOKS_AT_MOST, parseMarkdown, withoutHarm } from "../../src/words/text/markdown.ts";
import { excerptHtml, plainText, renderProse } from "../../src/words/text/prose.ts";
import { filledWith, HOSTILE_TEXTS, LENGTH } from "../helpers/hostile-texts.ts";
import { attributes } from "../helpers/html.ts";

function htmlOf(source: string): string {
  return renderProse(source)?.html ?? "";
}

describe("a description", () => {
  it.each([
    ["a *b* **c** ~~d~~ `e`", "<p>a <em>b</em> <strong>c</strong> <s>d</s> <code>e</code></p>"],
    ["one\ntwo\r\nthree\n\nfour", "<p>one<br />\ntwo<br />\nthree</p>\n<p>four</p>"],
    ["- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
    ["3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ["> a", "<blockquote>\n<p>a</p>\n</blockquote>"],
    ["```js\n<b>\n```", "<pre><code>&lt;b&gt;\n</code></pre>"],
    ["a\n\n---", "<p>a</p>\n<hr />"],
    ["    indented", "<p>indented</p>"],
    ["Since 2026-01-31, 18:00", "<p>Since 2026-01-31, 18:00</p>"],
    ["a_b_c and 5 * 3 * 2", "<p>a_b_c and 5 * 3 * 2</p>"],
  ])("%j reads %j", (source, html) => {
    expect(htmlOf(source)).toBe(html);
  });

  it("has headings from the third level down, without gaps", () => {
    const html = htmlOf("# a\n\n#### b\n\n###### c\n\n## d\n\ne\n===");
    const headings = [...html.matchAll(/<(h\d)>(.)<\/\1>/g)].map(([, tag, text]) => `${tag} ${text}`);
    expect(headings.join(", ")).toBe("h3 a, h4 b, h5 c, h4 d, h3 e");
  });

  it("shows HTML as it is written", () => {
    const html = htmlOf('<b onclick="x()">a</b> <!-- c --> <script>alert(1)</script>\n\n<div>\n\n</div>');
    expect(html).toContain("&lt;b onclick=");
    expect(html).not.toMatch(/<(b|script|div|!--)/);
  });

  it("is nothing where there is nothing", () => {
    expect(renderProse(null)).toBeUndefined();
    expect(renderProse(" \n\t")).toBeUndefined();
  });
});

describe("links of a description", () => {
  it.each([
    ["[a](https://example.org/x)", "https://example.org/x"],
    ["[a](HTTP://example.org)", "HTTP://example.org"],
    ["<https://example.org>", "https://example.org"],
    ["see https://example.org/x?a=1, or", "https://example.org/x?a=1"],
    ["[write](mailto:a@example.org)", "mailto:a@example.org"],
    ["<a.b+c@mail.example.org>", "mailto:a.b+c@mail.example.org"],
    ["[write](mailto:a@example.org?subject=x=y@z)", "mailto:a@example.org?subject=x=y@z"],
    ["[a][1]\n\n[1]: https://example.org/1", "https://example.org/1"],
  ])("%j leads to %s and passes nothing on", (source, href) => {
    const html = htmlOf(source);
    expect(attributes(html, "href")).toEqual([href]);
    expect(attributes(html, "rel")).toEqual(["nofollow noopener ugc"]);
  });

  it.each([
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java\tscript:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](\u0001javascript:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](vbscript:x)",
    "[a](//evil.example)",
    "[a](/items)",
    "[a](https:/evil.example)",
    "[a](https:evil.example)",
    "<javascript:alert(1)>",
    "![a](javascript:alert(1))",
    "[a][1]\n\n[1]: javascript:alert(1)",
    "<c=@Flavor>A blade.</c>",
    "<c=@flavor.x> <c=@reminder> <a@b> [a](mailto:x=y@example.org)",
    "readme.md and www.example.org and a@example.org and ftp://example.org",
  ])("%j has none", (source) => {
    expect(htmlOf(source)).not.toContain("<a");
  });

  it("cannot leave their attribute", () => {
    expect(htmlOf('[a](https://e.org/"onmouseover="x "t\\"onclick=")')).not.toMatch(/\son\w+="/);
    expect(attributes(htmlOf('[a](<https://e.org/"onclick="x>)'), "onclick")).toEqual([]);
  });

  it("stand for pictures, also within other links", () => {
    expect(htmlOf("![a cat](https://example.org/cat.png)")).toMatch(
      /<a href="[^"]+cat\.png"[^>]*>a cat<\/a>/,
    );
    expect(htmlOf("![](https://example.org/cat.png)")).toContain(">https://example.org/cat.png</a>");
    const linked = htmlOf("[![a cat](https://example.org/cat.png)](https://example.org/)");
    expect(attributes(linked, "href")).toEqual(["https://example.org/"]);
    expect(linked).toContain(">a cat</a>");
    expect(htmlOf("![a](https://example.org/x.svg) <img src=x>")).not.toContain("<img");
  });
});

describe("characters that do harm", () => {
  it("turn nothing, end nothing and are no control characters", () => {
    const source = "a\u202eb\u2066c\u2069\u202c \u0000d\u0007e\u009bf\ufdd0g\uffff";
    expect(htmlOf(source)).toBe("<p>abc defg</p>");
    expect(plainText(source)).toBe("abc defg");
  });

  it("are not those of ordinary scripts", () => {
    const text = "שלום\u200f עולם\n\tمرحبا 🏳️\u200d🌈 e\u0301";
    expect(withoutHarm(text)).toBe(text);
  });
});

describe("the text of a description", () => {
  it("has no marks, and a line for each block", () => {
    const source =
      "# a\n\nb *c* [d](https://e.org)\nf\n\n- g\n- h\n\n> i\n\n|j|k|\n|-|-|\n|l|m|\n\n```\nn\n```";
    expect(plainText(source).split(/\s+/)).toEqual([..."abcdfghijklmn"]);
    expect(plainText("a *b*\nc")).toBe("a b\nc");
  });

  it("has the words of pictures and HTML as it is written", () => {
    expect(plainText("![cat](https://e.org/c.png) <b>d</b>")).toBe("cat <b>d</b>");
  });
});

describe("an excerpt", () => {
  it("is the whole text if that is short", () => {
    expect(excerptHtml("a *b*\n\n- c", 10)).toBe(htmlOf("a *b*\n\n- c"));
    expect(excerptHtml("", 10)).toBe("");
  });

  it("cuts the first block between words, without marks", () => {
    expect(excerptHtml("**one** <two> three", 11)).toBe("<p>one &lt;two&gt;…</p>");
  });
});

describe("a hostile description", () => {
  it.each(HOSTILE_TEXTS)(
    "of %j takes a bounded number of looks, and is shown at a bounded length",
    (_name, source) => {
      const looks = { count: 0 };
      parseMarkdown(source, looks);
      expect(looks.count).toBeLessThanOrEqual(LOOKS_AT_MOST + 1);
      const { html = "", text = "" } = renderProse(source) ?? {};
      expect(html.length).toBeLessThan(LENGTH * 12);
      expect(text.length).toBeLessThanOrEqual(LENGTH);
    },
  );

  it("is shown with its marks where quotes go on without them for thousands of lines", () => {
    const quote = `> >\n${"a\n".repeat(10)}`;
    expect(htmlOf(quote.repeat(20))).toContain("<blockquote>");
    expect(htmlOf(filledWith(quote))).not.toContain("<blockquote>");
    expect(htmlOf(filledWith(quote))).toContain("&gt; &gt;<br />");
  });

  it("is shown with its marks if it has thousands of parts", () => {
    expect(htmlOf("a\n-\n".repeat(5_000))).not.toContain("<h3>");
    expect(htmlOf("a\n-\n".repeat(500))).toContain("<h3>");
  });

  it("is shown with its marks if it is a huge table", () => {
    const table = `|a|b|\n|-|-|\n${"|x|y|\n".repeat(3_000)}`;
    expect(htmlOf(table)).not.toContain("<table");
    expect(htmlOf(table)).toContain("|x|y|<br />");
    expect(htmlOf(table.slice(0, 1_000))).toContain("<table");
  });

  it("has only what is allowed in it", () => {
    const pieces = [
      "<script>",
      "<img src=x onerror=y>",
      "](javascript:x)",
      "](https://e.org)",
      "![",
      "[",
      "*",
    ];
    const marks = ["`", "```\n", "\n\n", "> ", "- ", "|a|\n|-|\n", "# "];
    const more = ["<https://e.org>", "&lt;", "\\", '"', "'"];
    const piece = fc.constantFrom(...pieces, ...marks, ...more);
    const hostile = fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 });
    fc.assert(
      fc.property(hostile, (parts) => {
        const html = htmlOf(parts.join(""));
        const tags = html.match(/<[^>]*>/g) ?? [];
        const allowed =
          /^<\/?(p|em|strong|s|code|pre|blockquote|[uo]l|li|table|thead|tbody|tr|th|td|h[3-6])>$|^<(br|hr) \/>$|^<ol start="\d+">$|^<\/a>$|^<a href="(https?:\/\/|mailto:)[^"]+" rel="nofollow noopener ugc">$/i;
        expect(tags.filter((tag) => !allowed.test(tag))).toEqual([]);
      }),
    );
  });
});
