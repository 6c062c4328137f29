import type { Knex } from "knex";
import type { Actor } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import { type Attempt, addJobs, type Tasks } from "../../db/jobs.ts";
import { deleteInBatches, selectRow, selectRows } from "../../db/rows.ts";
import { lazyText, type Translatable } from "../../words/i18n/lazy-text.ts";
import type { VocabularyFile } from "../../words/vocabulary/schema.ts";
import type { Progress } from "../import/arguments.ts";
import type { ImportKind } from "../import/kinds.ts";
import { describeInvalid, type ImportSummary } from "../import/report.ts";
import type { Validators } from "./fetch-file.ts";
import { importFile, UnusableFileError } from "./import-file.ts";
import { type Changes, listChanges } from "./queries.ts";
import { type FetchContext, saveSource } from "./sources.ts";
import { KEPT_DAYS } from "./undo.ts";
import type { Sample, UploadSettings } from "./upload-mapping.ts";

/** What a check or an application of an upload came to. */
interface UploadResult {
  readonly problem?: Translatable | undefined;
  readonly lines: readonly Translatable[];
  readonly counts?: Pick<ImportSummary, "records" | "added" | "changed" | "unchanged" | "removed">;
  readonly changes?: Changes | undefined;
}

export interface Upload {
  readonly id: number;
  readonly kind: ImportKind;
  readonly source: string;
  readonly file: string;
  readonly sample: Sample;
  readonly settings: UploadSettings;
  readonly state: "new" | "checking" | "checked" | "applying" | "applied" | "failed";
  readonly progress: Progress | null;
  readonly result: UploadResult | null;
  readonly import_id: number | null;
  /** The address that the file was fetched from; null: it was uploaded. */
  readonly url: string | null;
  readonly validators: Validators | null;
}

/** All but the content, which is large. */
const COLUMNS = "id kind source file sample settings state progress result import_id url validators".split(
  " ",
);
const PROGRESS_MS = 1_000;
const ATTEMPTS = 3;

export async function findUpload(db: Db, id: number): Promise<Upload | undefined> {
  return db<Upload>("import_uploads").where({ id }).first(COLUMNS);
}

type Added = "kind" | "source" | "file" | "sample" | "settings" | "url" | "validators";

export async function addUpload(
  db: Db,
  { sample, settings, validators, ...upload }: Pick<StoredUpload, Added | "content"> & { user_id: number },
): Promise<number> {
  const texts = { sample: JSON.stringify(sample), settings: JSON.stringify(settings) };
  const row = { ...upload, ...texts, validators: validators && JSON.stringify(validators) };
  const [added] = await db("import_uploads").insert(row).returning("id");
  return added.id;
}

/** Starts a check with new settings, or the application of what was checked; false: the upload is not ready for it. */
export async function startUpload(
  db: Knex,
  id: number,
  settings: UploadSettings | undefined,
  by: Actor,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const ready = settings ? ["new", "checked", "failed"] : ["checked"];
    const change = settings
      ? { state: "checking", settings: JSON.stringify(settings) }
      : { state: "applying" };
    const started = await transaction("import_uploads")
      .where({ id })
      .whereIn("state", ready)
      .update({ ...change, progress: null, result: null });
    const from = { ip: by.ip ?? "", request: by.requestId ?? "" };
    if (started > 0)
      await addJobs(transaction, [
        { task: "import_upload", payload: { id, user: by.userId ?? 0, ...from }, maxAttempts: ATTEMPTS },
      ]);
    return started > 0;
  });
}

type StoredUpload = Upload & { readonly content: Buffer };

interface UploadJob {
  readonly id: number;
  readonly user: number;
  readonly ip: string;
  readonly request: string;
}

/** The background work of uploads. */
export function uploadTasks({ db, vocabulary }: Omit<FetchContext, "egress">): Pick<Tasks, "import_upload"> {
  return {
    import_upload: async (payload, attempt) => {
      const job = payload as UploadJob;
      await vocabulary.noticeChange();
      const [upload] = await selectRows<StoredUpload>(
        db,
        "select * from import_uploads where id = ? and state in ('checking', 'applying')",
        [job.id],
      );
      if (upload) await runUpload(db, vocabulary.file, upload, job, attempt);
    },
  };
}

/** Checks or applies a file. The worker retries failures that are not the fault of the file. */
async function runUpload(
  db: Knex,
  vocabulary: VocabularyFile,
  upload: StoredUpload,
  job: UploadJob,
  { signal, isLast }: Attempt,
): Promise<void> {
  const { id, kind, source: name, settings, state, url, validators } = upload;
  const dryRun = state === "checking";
  const from = { ip: job.ip || undefined, requestId: job.request || undefined };
  const by: Actor = { userId: job.user, via: "site", ...from };
  let changes: Changes | undefined;
  try {
    const summary = await importFile(db, vocabulary, upload, {
      ...{ by, dryRun, signal, onProgress: progressWriter(db, id) },
      complete: async (transaction, importId) => {
        if (dryRun) {
          if (importId !== undefined) changes = await listChanges(transaction, importId, kind);
          return;
        }
        await saveSource(transaction, { kind, name, url, settings, validators }, { import: importId }, by);
        await changeUpload(transaction, id, { state: "applied", import_id: importId ?? null });
      },
    });
    const { records: all, added, changed, unchanged, removed, warnings } = summary;
    const counts = { records: all, added, changed, unchanged, removed };
    const result = { lines: [...describeInvalid(summary), ...warnings], counts, changes };
    await changeUpload(db, id, { ...(dryRun && { state: "checked" }), result: JSON.stringify(result) });
  } catch (error) {
    const isFault = error instanceof UnusableFileError;
    if (signal.aborted || (!isFault && !isLast)) throw error;
    const problem = isFault ? error.said : lazyText("refusals.failed");
    const lines = isFault ? error.lines : [];
    await changeUpload(db, id, { state: "failed", result: JSON.stringify({ problem, lines }) });
    if (!isFault) throw error;
  }
}

/** Stores how far an import is, once a second. */
function progressWriter(db: Knex, id: number): (progress: Progress) => void {
  let last = 0;
  return (progress) => {
    if (Date.now() - last < PROGRESS_MS && progress.phase === "reading") return;
    last = Date.now();
    changeUpload(db, id, { progress: JSON.stringify(progress) }).catch(() => undefined);
  };
}

async function changeUpload(
  db: Db,
  id: number,
  change: { state?: string; import_id?: number | null; progress?: string; result?: string },
): Promise<void> {
  await db("import_uploads").where({ id }).update(change);
}

/** Removes uploads after a day, and what old imports replaced. */
export async function removeOldImports(db: Db): Promise<void> {
  await deleteInBatches(db, "import_uploads", "at < now() - interval '1 day'");
  const { oldest } = await selectRow<{ oldest: number | null }>(
    db,
    `select max(id) as oldest from imports where at < now() - make_interval(days => ${KEPT_DAYS})`,
  );
  if (oldest !== null) await deleteInBatches(db, "import_changes", `import_id <= ${oldest}`);
}
