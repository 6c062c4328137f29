import { describe, expect, it } from "vitest";
import { useCli } from "../helpers/cli.ts";

const cli = useCli();

/** With a setting that cannot be: whatever goes on to load the settings says so. */
const run = (...args: string[]) => cli.run({ PORT: "none" }, ...args);

describe("help", () => {
  it.each([[[]], [["help"]], [["--help"]], [["-h"]]])("as %j lists the commands", async (args) => {
    expect([await run(...args), cli.err]).toEqual([0, ""]);
    expect(cli.out).toMatch(/^Usage: npm run -s almanac -- <command> …\n/);
    expect(cli.out).toMatch(/^ {2}serve +Run the site$/m);
  });

  it.each([
    [["help", "import"]],
    [["import", "--help"]],
    [["--help", "import"]],
    [["import", "items", "--map", "-h"]],
  ])("as %j explains a command", async (args) => {
    expect([await run(...args), cli.err]).toEqual([0, ""]);
    expect(cli.out).toContain("  --prune                 remove records that the file does not have");
    expect(cli.out).toContain("name=title|label      the first that has a value");
  });

  it("holds the options of every subcommand", async () => {
    await run("help", "discount");
    expect(cli.out).toMatch(/discount list \[options\](.|\n)*--phase(.|\n)*discount add(.|\n)*--percent/);
    expect(cli.out).toContain("Times are ISO 8601 with an offset");
  });
});

describe("a bad call", () => {
  it.each([
    [["nosuch"], 'there is no command "nosuch"', ""],
    [["help", "nosuch"], 'there is no command "nosuch"', ""],
    [["nosuch", "--help"], 'there is no command "nosuch"', ""],
    [["--wrong"], "unknown option '--wrong'", ""],
    [["import"], "import: missing required argument 'kind'", " import"],
    [["import", "items", "-", "--drun"], "import: unknown option '--drun'", " import"],
    [
      ["user", "make"],
      "user: say what to do: create, list, password, role, disable, enable, delete",
      " user",
    ],
    [["demo"], "demo: say load or remove", " demo"],
    [["migrate", "--yes", "x"], "migrate: too many arguments", " migrate"],
    [["migrate", "--rollback", "--status"], "migrate: option '--status' cannot be used", " migrate"],
  ])("as %j is told in one line and where to look", async (args, message, about) => {
    expect([await run(...args), cli.out]).toEqual([2, ""]);
    expect(cli.err.split("\n")).toEqual([
      expect.stringContaining(`almanac: ${message}`),
      `Try: npm run -s almanac -- help${about}`,
      "",
    ]);
  });
});

it("reports a wrong setting once a correct call needs it", async () => {
  expect([await run("doctor"), cli.out]).toEqual([2, ""]);
  expect(cli.err).toContain("almanac: setting PORT: must be");
});
