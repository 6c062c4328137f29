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
  BACKUP_DIR: z.string().optional(),
  BACKUP_EVERY_H: wholeNumber(1, 720).default(24),
  BACKUP_KEEP: wholeNumber(1, 1_000).default(7),
  BACKUP_SECRETS: flag().default(false),
  BACKUP_TRIAL: flag().default(true),
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
