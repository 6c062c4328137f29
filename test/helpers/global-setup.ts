import { randomBytes } from "node:crypto";
import { mkdtemp, rm, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { createDb } from "../../src/db/connect.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded/start.ts";
import { migrate } from "../../src/db/migrate.ts";
import { PATIENT } from "./patience.ts";
import { superuserUrl } from "./superuser.ts";
import { makeTemplate, type TestServer } from "./template.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A database on the run's server, for a superuser who creates and drops the others. */
    adminUrl: string;
    /** The site's user: it owns the other databases, and is no superuser. */
    siteUrl: string;
    /** Prefix of the names of all databases of the run; by itself the migrated one that is cloned. */
    databasePrefix: string;
    /** Where processes of the run work, away from a developer's own `.env` and `data`. */
    runFolder: string;
  }
}

/** Linux keeps files here in memory. */
const MEMORY = "/dev/shm";
/** A whole run takes less than half of this. */
const ENOUGH_MEMORY = 8 * 1024 ** 3;

const COMPILED = path.join(import.meta.dirname, "../../node_modules/.cache/node");

/** One real Postgres for a run: an embedded one of its own, or the server of TEST_DATABASE_URL. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await keepFilesInMemory();
  // Threads and children of the tests find the site compiled, where main.js keeps it for itself.
  process.env.NODE_COMPILE_CACHE ??= COMPILED;
  const home = await mkdtemp(path.join(tmpdir(), "almanac-test-"));
  const server = await startServer(home);
  const prefix = `almanac_test_${randomBytes(4).toString("hex")}`;
  const tearDown = async () => {
    await dropDatabases(server.adminUrl, prefix);
    await server.stop();
    await rm(home, { recursive: true, force: true });
  };
  try {
    await makeTemplate(server, { name: prefix, from: "template1", fill: migrate });
  } catch (error) {
    await tearDown();
    throw error;
  }
  project.provide("adminUrl", server.adminUrl);
  project.provide("siteUrl", server.siteUrl);
  project.provide("databasePrefix", prefix);
  project.provide("runFolder", home);
  return tearDown;
}

/**
 * Puts the temporary files of this process and its children into memory if there is plenty of it. Each test file makes
 * and drops databases of 700 files, which costs half a second of a core on a disk and a tenth of that in memory.
 */
async function keepFilesInMemory(): Promise<void> {
  const place = await statfs(MEMORY).catch(() => undefined);
  if (place === undefined || process.env.TMPDIR !== undefined) return;
  const free = Math.min(place.bavail * place.bsize, freemem());
  if (free > ENOUGH_MEMORY) process.env.TMPDIR = MEMORY;
}

async function startServer(home: string): Promise<TestServer & { stop(): Promise<void> }> {
  const external = process.env.TEST_DATABASE_URL;
  if (external) return { adminUrl: external, siteUrl: external, stop: async () => undefined };
  const directory = path.join(home, "postgres");
  const server = await startEmbeddedPostgres({
    directory,
    log: () => undefined,
    // Nobody misses these data after a power cut.
    settings: {
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      max_connections: "200",
      // Its work would come at any time, and keeps a template from being cloned.
      autovacuum: "off",
    },
  });
  return {
    adminUrl: await superuserUrl(directory, server.url),
    siteUrl: server.url,
    stop: () => server.stop(),
  };
}

/** Also those of tests that were interrupted. */
async function dropDatabases(adminUrl: string, prefix: string): Promise<void> {
  const admin = createDb({ url: adminUrl, ...PATIENT });
  try {
    const names = await admin("pg_database").whereLike("datname", `${prefix}%`).pluck<string[]>("datname");
    for (const name of names) await admin.raw("drop database ?? with (force)", [name]);
  } finally {
    await admin.destroy();
  }
}
