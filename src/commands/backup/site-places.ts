import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Config, describeConfig } from "../../settings/config.ts";
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

/**
 * Moves the vocabulary and the secrets of a backup to their settings' paths. Keeps existing content beside them.
 * Resolves to a line for each.
 */
export async function putSettings(
  { dataDir, siteSchema }: Places,
  settings: ReadonlyMap<string, Buffer>,
): Promise<string[]> {
  const lines: string[] = [];
  for (const [name, content] of settings) {
    if (name === `${SETTINGS}site.json`) lines.push(...(await put(siteSchema.file, content, 0o644)));
    if (!name.startsWith(SECRETS)) continue;
    const folder = path.join(dataDir, "secrets");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    lines.push(...(await put(path.join(folder, path.basename(name)), content, 0o600)));
  }
  return lines;
}

async function put(file: string, content: Buffer, mode: number): Promise<string[]> {
  const before = await readFile(file).catch(() => undefined);
  if (before?.equals(content)) return [];
  const kept = `${file}.before-restore`;
  if (before) await rename(file, kept);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content, { mode });
  return [
    before ? `${file} is that of the backup; the one before is ${kept}` : `${file} is that of the backup`,
  ];
}
