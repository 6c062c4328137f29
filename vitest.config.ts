import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** One real Postgres for a run (test/helpers/global-setup.ts). */
const database = {
  globalSetup: ["test/helpers/global-setup.ts"],
  setupFiles: ["test/helpers/properties.ts"],
  testTimeout: 120_000,
  hookTimeout: 90_000,
};

/**
 * `npm test` runs two projects: `architecture` reads source files and needs no database; `app` tests the product in
 * one process. Project `processes` starts, crashes and upgrades whole sites and Postgres clusters; two files need
 * HAProxy and PgBouncer. Project `e2e` needs a browser, and for some files game servers or shared caches.
 */
export default defineConfig({
  test: {
    // Two more than cores: tests wait for what they have started for about a third of their time.
    maxWorkers: availableParallelism() + 2,
    maxConcurrency: 3,
    // A worker loads the site once and not again for each file; a test takes back whatever it replaces.
    isolate: false,
    // Node reads TypeScript by itself, and keeps it compiled for the next run.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // What comes is waited for as long as a busy machine takes.
    expect: { poll: { timeout: 30_000, interval: 10 } },
    projects: [
      {
        extends: true,
        test: { name: "architecture", include: ["test/architecture.test.ts", "test/views.test.ts"] },
      },
      {
        extends: true,
        test: {
          name: "app",
          include: ["test/**/*.test.ts"],
          exclude: ["test/architecture.test.ts", "test/views.test.ts", "test/processes/**", "test/e2e/**"],
          ...database,
        },
      },
      { extends: true, test: { name: "processes", include: ["test/processes/**/*.test.ts"], ...database } },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          ...database,
          // On a busy machine a browser may be late. .ci/run names the tests that passed on the second try.
          retry: process.env.CI ? 1 : 0,
        },
      },
    ],
  },
});
