import { z } from "zod";
import { flag, wholeNumber } from "./values.ts";

/** The settings of backups that the site writes by itself. */
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
