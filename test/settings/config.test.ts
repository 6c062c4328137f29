import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { describeConfig, loadConfig } from "../../src/settings/config.ts";
import { ConfigError } from "../../src/settings/sources.ts";

const directory = mkdtempSync(path.join(tmpdir(), "almanac-config-"));
afterAll(() => rmSync(directory, { recursive: true }));

describe("loadConfig without any setting", () => {
  const config = loadConfig({});

  it("serves on loopback, port 3000, from ./data, with the demo", () => {
    expect(config).toMatchObject({ port: 3000, host: "127.0.0.1", demoData: true, migrateOnStart: true });
    expect(config.dataDir).toBe(path.resolve("data"));
    expect(config.databaseUrl).toBeUndefined();
  });

  it("polls the game servers, each once a minute", () => {
    expect(config).toMatchObject({ poll: true, pollIntervalS: 60 });
  });

  it("looks as it was designed, with the whole map", () => {
    const mapBounds = { west: -3000, south: -3000, east: 3000, north: 3000 };
    expect(config.look).toEqual({
      accent: undefined,
      logo: undefined,
      links: [],
      mapImage: undefined,
      mapBounds,
    });
  });

  it("has no secret of its own", () => {
    expect(config.sessionSecret).toBeUndefined();
  });

  it("cannot be changed afterwards", () => {
    expect(Object.isFrozen(config)).toBe(true);
  });
});

describe("loadConfig with DATABASE_URL", () => {
  const config = loadConfig({ DATABASE_URL: "postgres://almanac:s3cret@db.example:5432/almanac" });

  it("neither fills that database with demo data nor migrates it by itself", () => {
    expect(config).toMatchObject({ demoData: false, migrateOnStart: false });
  });

  it("leaves polling to a process of its own, unless a setting says otherwise", () => {
    expect(config.poll).toBe(false);
    expect(loadConfig({ DATABASE_URL: "postgres://db/almanac", POLL: "1" }).poll).toBe(true);
    expect(loadConfig({ POLL: "0" }).poll).toBe(false);
  });

  it("does both where a setting says so", () => {
    const asked = { DATABASE_URL: "postgres://db/almanac", DEMO_DATA: "1", MIGRATE_ON_START: "true" };
    expect(loadConfig(asked)).toMatchObject({ demoData: true, migrateOnStart: true });
  });

  it("uses the direct URL, and has no pooler if both are the same", () => {
    const DATABASE_URL = "postgres://db.example:6432/almanac";
    const both = (DATABASE_DIRECT_URL: string) => loadConfig({ DATABASE_URL, DATABASE_DIRECT_URL });
    const direct = both("postgres://ann:s3cret@db.example:5432/almanac");
    expect(direct.databaseDirectUrl).toBe("postgres://ann:s3cret@db.example:5432/almanac");
    expect(describeConfig(direct).databaseDirectUrl).toBe("postgres://ann:***@db.example:5432/almanac");
    expect(both(DATABASE_URL).databaseDirectUrl).toBeUndefined();
    expect(config.databaseDirectUrl).toBeUndefined();
    expect(() => loadConfig({ DATABASE_DIRECT_URL: DATABASE_URL })).toThrow(
      /^DATABASE_DIRECT_URL: wants DATABASE_URL too/,
    );
  });

  it("is described without its password", () => {
    expect(JSON.stringify(describeConfig(config))).not.toContain("s3cret");
    expect(describeConfig(config).databaseUrl).toBe("postgres://almanac:***@db.example:5432/almanac");
  });

  it.each([
    [
      "postgres://db.example/almanac?user=ann&password=s3cret",
      "postgres://db.example/almanac?user=ann&password=***",
    ],
    ["postgres:///almanac?host=/run/pg&password=s3cret", "postgres:///almanac?host=/run/pg&password=***"],
    ["postgres://ann:s3@cret@db.example/almanac", "postgres://ann:***@db.example/almanac"],
    ["postgres://:s3cret@db.example/almanac", "postgres://:***@db.example/almanac"],
    ["postgres://ann%3As3cret@db.example/almanac", "postgres://ann:***@db.example/almanac"],
    [
      "postgres://ann@db.example/almanac?sslmode=require&sslpassword=s3cret&PASSWORD=s3cret&pa%73sword=s3cret",
      "postgres://ann@db.example/almanac?sslmode=require&sslpassword=***&PASSWORD=***&***",
    ],
    ["postgres://ann:12?s3cret@db.example/almanac", "postgres://***"],
  ])("is described without its password where it is %s", (url, shown) => {
    expect(describeConfig(loadConfig({ DATABASE_URL: url })).databaseUrl).toBe(shown);
  });

  it.each([
    "smtp://ann:s3@hidden@mail.example:587",
    "smtps://mail.example?auth.pass=hidden",
    "smtp://ann:1/hidden@mail.example",
  ])("is described without the password of its mail server: %s", (url) => {
    expect(JSON.stringify(describeConfig({ ...config, mail: { kind: "smtp", url } }))).not.toContain(
      "hidden",
    );
  });

  it("is described by nothing at all where it cannot be read", () => {
    const databaseUrl = "postgres://ann:s3cret@[db/almanac";
    expect(describeConfig({ ...config, databaseUrl }).databaseUrl).toBe("postgres://***");
  });
});

describe("one setting", () => {
  it.each([
    ["PORT", "0", "port", 0],
    ["PORT", "65535", "port", 65_535],
    ["DEMO_DATA", "0", "demoData", false],
    ["DEMO_DATA", "FALSE", "demoData", false],
    ["BASE_URL", "https://almanac.example/", "baseUrl", "https://almanac.example"],
    ["BASE_URL", "https://almanac.example:8443", "baseUrl", "https://almanac.example:8443"],
    ["TRUST_PROXY", "1", "trustProxy", 1],
    ["TRUST_PROXY", "0", "trustProxy", false],
    ["TRUST_PROXY", "10.0.0.0/8, loopback", "trustProxy", ["10.0.0.0/8", "loopback"]],
    ["LOG_LEVEL", "debug", "logLevel", "debug"],
    ["POLL_INTERVAL_S", "10", "pollIntervalS", 10],
    ["POLL_INTERVAL_S", "300", "pollIntervalS", 300],
    ["SITE_NAME", "Red County Atlas", "siteName", "Red County Atlas"],
  ] as const)("%s=%s is understood", (name, value, key, expected) => {
    expect(loadConfig({ [name]: value })[key]).toEqual(expected);
  });

  it.each([
    ["PORT", "http"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "3000.5"],
    ["BASE_URL", "almanac.example"],
    ["BASE_URL", "ftp://almanac.example"],
    ["BASE_URL", "https://almanac.example/wiki"],
    ["BASE_URL", "https://user@almanac.example"],
    ["BASE_URL", "https://almanac.example/?a=1"],
    ["DATABASE_URL", "mysql://db/almanac"],
    ["DATABASE_URL", "db.example"],
    ["DATABASE_URL", "postgres://ann:s3cret@db.example/almanac?target_session_attrs=standby"],
    ["DATABASE_URL", "postgres://ann:s3cret@one,two/almanac"],
    ["DATABASE_URL", "postgres://ann:12/s3cret@db.example/almanac"],
    ["DATABASE_URL", "postgres://ann:12#s3cret@db.example/almanac"],
    ["TRUST_PROXY", "true"],
    ["TRUST_PROXY", "yes please"],
    ["DEMO_DATA", "maybe"],
    ["SESSION_SECRET", "short"],
    ["SESSION_DAYS", "0"],
    ["DATABASE_POOL", "1"],
    ["METRICS_TOKEN", "too short"],
    ["METRICS_PORT", "0"],
    ["POLL", "sometimes"],
    ["POLL_INTERVAL_S", "9"],
    ["POLL_INTERVAL_S", "301"],
    ["LOG_LEVEL", "loud"],
  ])("%s=%s stops the start with a line that names it", (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(new RegExp(`^${name}: (must|Invalid)`));
  });

  it("counts as not given when it is empty", () => {
    expect(loadConfig({ PORT: "", BASE_URL: "", DATABASE_URL: "" })).toMatchObject({
      port: 3000,
      baseUrl: undefined,
    });
  });
});

describe("several bad settings", () => {
  it("are named all at once, one line each", () => {
    const attempt = () => loadConfig({ PORT: "x", BASE_URL: "y", LOG_LEVEL: "z" });
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(/^PORT: .+\nBASE_URL: .+\nLOG_LEVEL: .+$/);
  });
});

describe("a name that no setting has", () => {
  /** The settings of a file, and of the environment. */
  const load = (text: string, env = {}) => {
    const file = path.join(directory, "settings");
    writeFileSync(file, text);
    return loadConfig(env, file);
  };

  it.each([
    ["PROT=4000", "PROT", "PORT"],
    ["PORTS=4000", "PORTS", "PORT"],
    ["DATABSE_URL=postgres://db/almanac", "DATABSE_URL", "DATABASE_URL"],
    ["SESION_SECRT_FILE=/run/secret", "SESION_SECRT_FILE", "SESSION_SECRET_FILE"],
    ["WORKERS=0", "WORKERS", "WORKER"],
    ["EMAIL_FROM=a@b.example", "EMAIL_FROM", "MAIL_FROM"],
  ])("as %s in the file is refused with the one that is meant", (line, name, meant) => {
    expect(() => load(line)).toThrow(
      new ConfigError(`${name}: there is none of this name; ${meant} is meant`),
    );
  });

  it.each([
    ["PROT", "PORT"],
    ["HSOT", "HOST"],
    ["DATADIR", "DATA_DIR"],
    ["DATABASE_ULR", "DATABASE_URL"],
    ["SESSION_SECRT_FILE", "SESSION_SECRET_FILE"],
  ])("as %s in the environment is refused with %s", (name, meant) => {
    expect(() => loadConfig({ [name]: "4000" })).toThrow(
      `${name}: there is none of this name; ${meant} is meant`,
    );
  });

  it("is left alone in the environment where other programs may know it, or where it is empty", () => {
    const usual =
      "HOME HOSTNAME HOSTTYPE LOGNAME MAIL PATH PORTS POST PWD SHELL TERM TZ USER WORKERS EMAIL_FROM BASE_URI SMTP_URI PGHOST PGPORT " +
      "NODE NODE_OPTIONS NODE_PATH INIT_CWD COLOR EDITOR CI COMMAND LISTEN_FDNAMES SITE_URL DATABASE_HOST POSTGRES_PASSWORD";
    const env = Object.fromEntries(usual.split(" ").map((name) => [name, "something"]));
    expect(loadConfig({ ...env, PROT: "" }).port).toBe(3000);
  });

  it("is left alone in the file where it is far from all settings, as those of Docker Compose", () => {
    expect(load("POSTGRES_PASSWORD=secret\nTZ=UTC\nHOME=/tmp\nPGPORT=5432\nCOMMAND=serve").port).toBe(3000);
  });
});

describe("a file of settings", () => {
  it("gives what the environment does not have", () => {
    const file = path.join(directory, "beside");
    writeFileSync(file, "\uFEFFPORT=4000\n# a comment\nSITE_NAME='My game' # another\nHOST=::1\n");
    const env: Record<string, string> = { HOST: "127.0.0.2" };
    expect(loadConfig(env, file)).toMatchObject({ port: 4000, siteName: "My game", host: "127.0.0.2" });
    expect(env).toEqual({ HOST: "127.0.0.2", PORT: "4000", SITE_NAME: "My game" });
  });

  it("does not stand beside a secret that the environment has in the other form", () => {
    const [file, secret] = [path.join(directory, "secrets"), path.join(directory, "of the environment")];
    writeFileSync(secret, "e".repeat(40));
    writeFileSync(file, `SESSION_SECRET=${"f".repeat(40)}\nDATABASE_URL_FILE=/nowhere\n`);
    const env = { SESSION_SECRET_FILE: secret, DATABASE_URL: "postgres://db/almanac" };
    expect(loadConfig(env, file)).toMatchObject({
      sessionSecret: "e".repeat(40),
      databaseUrl: env.DATABASE_URL,
    });
  });

  it("may be missing, but not unreadable", () => {
    expect(loadConfig({}, path.join(directory, "nowhere")).port).toBe(3000);
    expect(() => loadConfig({}, directory)).toThrow(`file ${directory}: cannot be read (EISDIR)`);
  });
});

describe("secrets by file", () => {
  it("reads the value from the file, without its line end", () => {
    const file = path.join(directory, "secret");
    writeFileSync(file, `${"s".repeat(40)}\n`);
    expect(loadConfig({ SESSION_SECRET_FILE: file }).sessionSecret).toBe("s".repeat(40));
  });

  it("names the setting when the file is missing or empty", () => {
    const empty = path.join(directory, "empty");
    writeFileSync(empty, "\n");
    expect(() => loadConfig({ DATABASE_URL_FILE: empty })).toThrow(/^DATABASE_URL_FILE: .*is empty/);
    const missing = path.join(directory, "missing");
    expect(() => loadConfig({ DATABASE_URL_FILE: missing })).toThrow(
      /^DATABASE_URL_FILE: cannot read .*ENOENT/,
    );
  });

  it("refuses a secret that is given twice", () => {
    const file = path.join(directory, "twice");
    writeFileSync(file, "s".repeat(40));
    const both = { SESSION_SECRET: "t".repeat(40), SESSION_SECRET_FILE: file };
    expect(() => loadConfig(both)).toThrow(/^SESSION_SECRET: also given by SESSION_SECRET_FILE/);
  });

  it("never repeats a bad secret in the message", () => {
    expect(() => loadConfig({ SESSION_SECRET: "hunter2" })).toThrow(expect.not.stringContaining("hunter2"));
  });
});
