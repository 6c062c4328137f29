import type { TestProject } from "vitest/node";
import { loadDemo } from "../../src/commands/demo/load.ts";
import { demoTemplate, makeTemplate } from "./template.ts";

/** Loads the demo data once a run, for `createDemoDatabase`. The database goes with the run's others. */
export default async function setUp(project: TestProject): Promise<void> {
  const { databasePrefix, ...server } = project.getProvidedContext();
  await makeTemplate(server, {
    name: demoTemplate(databasePrefix),
    from: databasePrefix,
    fill: (db) => db.transaction((transaction) => loadDemo(transaction)),
  });
}
