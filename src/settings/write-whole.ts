import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import path from "node:path";

interface WriteOptions {
  /** The permissions, whatever the umask; by default those of any new file. */
  readonly mode?: number;
  /** The owner; by default the user of this process. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Waits until the disk has the content. Otherwise a power cut may leave the file with a part of it. */
  readonly sync?: boolean;
}

/**
 * Writes or replaces a file in one step: a reader finds the old content or the whole new one. It writes a draft beside
 * the file and renames it; a process that is killed in between leaves its draft. Several processes may write at once.
 * @throws the file system's error, with nothing changed
 */
export async function writeWhole(
  file: string,
  content: string | Uint8Array,
  { mode, owner, sync = false }: WriteOptions = {},
): Promise<void> {
  const draft = nameDraft(file);
  try {
    const handle = await open(draft, "wx", mode);
    try {
      await handle.writeFile(content);
      if (mode !== undefined) await handle.chmod(mode);
      if (owner) await handle.chown(owner.uid, owner.gid);
      if (sync) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** A new hidden file in the same directory, because a file cannot be renamed to another disk. */
export function nameDraft(file: string): string {
  return path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(4).toString("hex")}.draft`);
}
