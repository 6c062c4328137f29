import path from "node:path";
import { z } from "zod";
import { flag, wholeNumber } from "./values.ts";

/** Backups that the site writes by itself. */
export interface BackupSchedule {
  /** Absolute. */
  readonly directory: string;
  /** Hours from the begin of one to that of the next. */
  readonly everyH: number;
  /** How many are kept. */
  readonly kept: number;
  /** Whether they have the secrets of DATA_DIR and the log-ins. */
  readonly secrets: boolean;
  /** Whether each is restored into a database that is thrown away. */
  readonly trial: boolean;
}

/** The settings of backups. */
export const backupSettings = {
  BACKUP_DIR: z.string().optional().meta({
    accepts: "a directory",
    description:
      "Where the site writes backups by itself; without it there are none ([backup.md](backup.md#by-schedule)).",
  }),
  BACKUP_EVERY_H: wholeNumber(1, 720).default(24).meta({
    description: "Hours from one backup to the next.",
  }),
  BACKUP_KEEP: wholeNumber(1, 1_000).default(7).meta({
    description: "How many backups are kept.",
  }),
  BACKUP_SECRETS: flag().default(false).meta({
    description: "Whether backups include the secrets of `DATA_DIR` and the log-ins.",
  }),
  BACKUP_TRIAL: flag().default(true).meta({
    description:
      "Whether each backup is restored into a temporary database as a trial. With `0`, only the file is checked.",
  }),
};

const schema = z.object(backupSettings);

/** Undefined without a directory: nobody wants a disk to be filled that they did not name. */
export function backupsOf(value: z.output<typeof schema>): BackupSchedule | undefined {
  if (value.BACKUP_DIR === undefined) return undefined;
  return {
    directory: path.resolve(value.BACKUP_DIR),
    everyH: value.BACKUP_EVERY_H,
    kept: value.BACKUP_KEEP,
    secrets: value.BACKUP_SECRETS,
    trial: value.BACKUP_TRIAL,
  };
}
