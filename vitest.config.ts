import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * Projects: `architecture` reads source files only and needs no database; `app` runs against one real
 * Postgres a run (test/helpers/global-setup.ts). Browser tests live in test/e2e and run by `npm run test:e2e`,
 * because a machine with Node alone has no browser.
 */
export default defineConfig({
  test: {
    // One for each core, where the default leaves one core idle: most tests wait for a database or a process.
    maxWorkers: Math.max(2, availableParallelism()),
    maxConcurrency: 3,
    projects: [
      { test: { name: "architecture", include: ["test/architecture.test.ts"] } },
      {
        test: {
          name: "app",
          include: ["test/**/*.test.ts"],
          exclude: ["test/architecture.test.ts", "test/e2e/**"],
          globalSetup: ["test/helpers/global-setup.ts"],
          setupFiles: ["test/helpers/properties.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/helpers/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 90_000,
        },
      },
    ],
  },
});
