import { open } from "node:fs/promises";

/** Makes a new name in a folder survive a power cut; Windows has no such call. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
