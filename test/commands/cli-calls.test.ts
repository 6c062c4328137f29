import { describe, expect, it } from "vitest";
import { useCli } from "../helpers/cli.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { freePort } from "../helpers/free-port.ts";

const database = useTestDatabase();
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
    [["nosuch", "--help"], 'there is no command "nosuch"', ""],
    [["--wrong"], "unknown option '--wrong'", ""],
    [["import"], "import: missing required argument 'kind'", " import"],
    [["import", "items", "-", "--drun"], "import: unknown option '--drun'", " import"],
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

it("does not wait for a minute until status reports that the database is down", async () => {
  const settings = { DATABASE_URL: "postgres://127.0.0.1:1/none", PORT: String(await freePort()) };
  expect(await cli.run(settings, "status")).toBe(1);
  expect(cli.out).toMatch(/^bad {2}database: The database did not answer for 5 s: /m);
});

it("reports a wrong setting once a correct call needs it", async () => {
  expect([await run("doctor"), cli.out]).toEqual([2, ""]);
  expect(cli.err).toContain("almanac: setting PORT: must be");
});

describe("a command on a read-only database, such as a standby", () => {
  const runReadOnly = (...args: string[]) => {
    const url = new URL(database.url);
    url.searchParams.set("options", "-c default_transaction_read_only=on");
    return cli.run({ DATABASE_URL: url.href }, ...args);
  };

  it("reports in one line that the database takes no writes", async () => {
    expect([await runReadOnly("demo", "remove"), cli.err]).toEqual([
      1,
      expect.stringMatching(
        /^almanac: demo: the database failed: cannot execute \w+ in a read-only transaction\n$/,
      ),
    ]);
  });

  it("finds nothing to do where no migration is pending", async () => {
    expect([await runReadOnly("migrate"), cli.err]).toEqual([0, "Nothing to do.\n"]);
  });
});

it("writes for people where LOG_FORMAT is json, which is for the site's log", async () => {
  const settings = { DATABASE_URL: database.url, LOG_FORMAT: "json" };
  expect(await cli.run(settings, "user", "create", "ann")).toBe(0);
  expect([await cli.run(settings, "user", "list"), cli.out, cli.err]).toEqual([
    0,
    expect.stringMatching(/^\d+\tann\t.*\n$/),
    "",
  ]);
});
