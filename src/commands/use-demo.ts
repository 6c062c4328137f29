import type { Knex } from "knex";
import { createProgressView } from "../backup/progress.ts";
import { loadDemoOnce } from "../demo/load.ts";
import { createPictureStore } from "../pictures/store.ts";
import type { CommandContext } from "./command.ts";

/** Loads the demo data at the first start, with a bar on a terminal, and prints the operator's log-in. */
export async function useDemo(db: Knex, { config, isTerminal, out, err }: CommandContext): Promise<void> {
  let progress: ReturnType<typeof createProgressView> | undefined;
  const login = await loadDemoOnce(db, {
    pictures: createPictureStore(config, db),
    onStart: () => {
      err("First start: loading the demo data …");
      progress = createProgressView({ isTerminal, quiet: !isTerminal || config.logFormat === "json", err });
    },
    onProgress: (step) => progress?.show(step),
  }).finally(() => progress?.stop());
  // Printed at once, in case the start is stopped before it is complete.
  if (login) out(`Log in: ${login.name} with the password ${login.password} (shown only this once)`);
}
