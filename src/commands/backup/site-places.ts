import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { type Config, describeConfig } from "../../settings/config.ts";
import { nameDraft, writeWhole } from "../../settings/write-whole.ts";
import { SECRETS, SETTINGS } from "./format.ts";
import type { ScheduledBackups } from "./scheduled.ts";
import type { SitePlaces } from "./take-backup.ts";

type Places = Pick<Config, "dataDir" | "siteSchema">;

/** The files of a site with these settings that are not in its database. */
export function sitePlaces(config: Config): SitePlaces {
  const { dataDir, pictures, siteSchema, look } = config;
  return {
    dataDir,
    pictures,
    vocabularyFile: siteSchema.file,
    look: [look.logo, look.mapImage].flatMap((picture) => (picture ? [picture.file] : [])),
    settings: describeConfig(config),
  };
}

/** The backups that a site of these settings writes by itself; undefined: none. */
export function scheduledBackups(config: Config): ScheduledBackups | undefined {
  return config.backups && { schedule: config.backups, site: sitePlaces(config) };
}

/** A file of a backup that is written beside its path. */
export interface DraftFile {
  readonly file: string;
  readonly draft: string;
}

/**
 * Writes the vocabulary and the secrets of a backup beside their settings' paths, unless they are the same. To put them
 * in place then needs no space on the disk.
 * @throws the file system's error, with no draft left
 */
export async function draftSettings(
  { dataDir, siteSchema }: Places,
  settings: ReadonlyMap<string, Buffer>,
): Promise<DraftFile[]> {
  const secrets = path.join(dataDir, "secrets");
  const drafts: DraftFile[] = [];
  try {
    for (const [name, content] of settings) {
      const isSecret = name.startsWith(SECRETS);
      if (!isSecret && name !== `${SETTINGS}site.json`) continue;
      const file = isSecret ? path.join(secrets, path.basename(name)) : siteSchema.file;
      if ((await readFile(file).catch(() => undefined))?.equals(content)) continue;
      const draft = nameDraft(file);
      await mkdir(path.dirname(file), { recursive: true, mode: isSecret ? 0o700 : 0o777 });
      await writeWhole(draft, content, { mode: isSecret ? 0o600 : 0o644, sync: true });
      drafts.push({ file, draft });
    }
    return drafts;
  } catch (error) {
    await discardDrafts(drafts);
    throw error;
  }
}

export async function discardDrafts(drafts: readonly DraftFile[]): Promise<void> {
  for (const { draft } of drafts) await rm(draft, { force: true });
}

/** Lines for the operator. */
export interface PutFiles {
  readonly lines: readonly string[];
  /** Why files could not be put in place. */
  readonly failures: readonly string[];
}

/** Puts the drafts in place, once the database is restored. Keeps existing files beside them. */
export async function putDrafts(drafts: readonly DraftFile[]): Promise<PutFiles> {
  const lines: string[] = [];
  const failures: string[] = [];
  for (const { file, draft } of drafts) {
    try {
      const kept = findFreeName(`${file}.before-restore`);
      const isReplaced = existsSync(file);
      if (isReplaced) await rename(file, kept);
      await rename(draft, file);
      lines.push(`${file} is that of the backup${isReplaced ? `; the one before is ${kept}` : ""}`);
    } catch (error) {
      const reason = (error as Error).message;
      failures.push(
        `the database is restored, but ${file} could not be written (${reason}); its content is in ${draft}`,
      );
    }
  }
  return { lines, failures };
}

function findFreeName(file: string): string {
  let name = file;
  for (let number = 2; existsSync(name); number += 1) name = `${file}-${number}`;
  return name;
}
