import { hash } from "node:crypto";
import { z } from "zod";

/** The first file of a backup: what is in it, and what it takes to load it. */
export const HEADER = "backup.json";
/** The last file, with the contents and their digest. A backup without it is incomplete. */
export const SEAL = "complete.json";
/** Files of `sha256sum`'s form, each about the files since the one before. */
export const CHECKSUMS = "checksums/";
/** Rows: `data/<table>/<number>.tsv.gz`, as COPY writes them in its text format. */
export const DATA = "data/";
/** Files of pictures, named as below DATA_DIR. */
export const PICTURES = "pictures/";
/** The other files of a site. */
export const SETTINGS = "settings/";
export const SECRETS = "secrets/";

/** The name of jobs that wait among the tables: they are taken from the queue and given back to it. */
export const JOBS = "waiting_jobs";

/** A later number may only be read by a later version. */
export const FORMAT_VERSION = 1;

const name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);

export const headerSchema = z.object({
  format: z.literal("almanac-backup"),
  version: z.number().int(),
  about: z.string(),
  createdAt: z.iso.datetime(),
  postgres: z.string(),
  /** Names of the migrations that the database had. */
  migrations: z.array(z.string()),
  /** The operator's own kinds, which have tables. */
  ownKinds: z.array(z.object({ kind: name, one: name })),
  /** The start of each partition. */
  partitions: z.array(z.object({ table: name, step: z.enum(["day", "month"]), starts: z.array(z.string()) })),
  tables: z.array(z.object({ name, columns: z.array(z.string()) })),
  sequences: z.array(
    z.object({ table: name, column: z.string(), value: z.string().regex(/^\d+$/), isCalled: z.boolean() }),
  ),
  /** What the backup leaves out and why, for the operator. */
  leftOut: z.array(z.object({ what: z.string(), why: z.string() })),
});

/** See `headerSchema`. */
export type BackupHeader = z.output<typeof headerSchema>;

export const sealSchema = z.strictObject({
  /** Bytes before the header of this file, and their SHA-256 in hexadecimal digits. */
  bytes: z.number().int(),
  sha256: z.string(),
  /** Files before this one. */
  files: z.number().int(),
  pictureFiles: z.number().int(),
  rows: z.record(name, z.number().int()),
  /** See `digestOfSeal`. */
  digest: z.string(),
});

/** See `sealSchema`. */
export type Seal = z.output<typeof sealSchema>;

/** SHA-256 of a seal without its digest. */
export function digestOfSeal({ digest: _, ...seal }: Partial<Seal>): string {
  return hash("sha256", JSON.stringify(seal), "hex");
}

export const ABOUT =
  "A backup of an Almanac site. data/<table>/*.tsv.gz, one after the other, are the rows in the text format of " +
  "PostgreSQL's COPY, with the columns named under tables; checksums/* are for sha256sum -c; complete.json comes last. " +
  "docs/backup.md says how to read it by hand.";
