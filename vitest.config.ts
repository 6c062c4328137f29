import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * Projects: `architecture` reads source files only and needs no database; `app` runs against one real
 * Postgres a run (test/helpers/global-setup.ts). Browser tests live in test/e2e and run by `npm run test:e2e`,
 * because a machine with Node alone has no browser.
 */
export default defineConfig({
  test: {
    // One more than cores: tests wait for what they have started for about a third of their time.
    maxWorkers: availableParallelism() + 1,
    maxConcurrency: 3,
    // A worker loads the site once and not again for each file; a test takes back whatever it replaces.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // What comes is waited for as long as a busy machine takes.
    expect: { poll: { timeout: 30_000 } },
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
          exclude: ["test/architecture.test.ts", "test/views.test.ts", "test/e2e/**"],
          globalSetup: ["test/helpers/global-setup.ts"],
          setupFiles: ["test/helpers/properties.ts", "test/helpers/record-statements.ts"],
          testTimeout: 120_000,
          hookTimeout: 90_000,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/helpers/global-setup.ts", "test/helpers/demo-setup.ts"],
          // A browser on a busy machine may miss a beat; .ci/run names those that needed it, to be mended.
          retry: process.env.CI ? 1 : 0,
          testTimeout: 120_000,
          hookTimeout: 90_000,
        },
      },
    ],
  },
});
