import type { Knex } from "knex";
import { createPictureStore } from "../records/pictures/store.ts";
import { createProgressView } from "./backup/progress.ts";
import type { CommandContext } from "./command.ts";
import { topUpDemoHistory } from "./demo/history-queries.ts";
import { loadDemoOnce } from "./demo/load.ts";
import type { Loop } from "./jobs/background.ts";

/**
 * Loads the demo data at the first start where the settings want it, with a bar on a terminal, and prints the operator's
 * log-in. Brings records of an earlier load up to date.
 */
export async function useDemo(
  db: Knex,
  { config, isTerminal, out, err }: Pick<CommandContext, "config" | "isTerminal" | "out" | "err">,
): Promise<void> {
  let progress: ReturnType<typeof createProgressView> | undefined;
  const login = await loadDemoOnce(db, {
    isWanted: config.demoData,
    createStore: createPictureStore.bind(null, config),
    onStart: () => {
      err("First start: loading the demo data …");
      progress = createProgressView({ isTerminal, quiet: !isTerminal || config.logFormat === "json", err });
    },
    onProgress: (step) => progress?.show(step),
  }).finally(() => progress?.stop());
  // Printed at once, in case the start is stopped before it is complete.
  if (login) out(`Log in: ${login.name} with the password ${login.password} (shown only this once)`);
}

/** Work of the background: lets the demo's servers have players as time goes on. */
export function demoLoop(db: Knex): Loop {
  return { name: "continue the demo servers' history", everySeconds: 60, run: () => topUpDemoHistory(db) };
}
