import type { Knex } from "knex";
import { type Actor, recordAction } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import { addJobs, type JobSpec, type Tasks } from "../../db/jobs.ts";
import { selectRows } from "../../db/rows.ts";
import { DownloadError } from "../../web/egress/download.ts";
import type { EgressPolicy } from "../../web/egress/policy.ts";
import { lazyText, type Translatable } from "../../words/i18n/lazy-text.ts";
import type { LiveVocabulary } from "../../words/vocabulary/live.ts";
import { type ImportKind, importKinds } from "../import/kinds.ts";
import { ImportRefusedError } from "../import/report.ts";
import { fetchFile, type Validators } from "./fetch-file.ts";
import { importFile, UnusableFileError } from "./import-file.ts";
import type { UploadSettings } from "./upload-mapping.ts";

/** How often a source may be fetched: a number of hours, and the word for it. */
export const SCHEDULES = { 0: "by_hand", 1: "hour", 6: "six_hours", 24: "day", 168: "week" } as const;
export const USUAL_HOURS = 24;
/** After this many consecutive failures a source is paused. */
const FAILURES_AT_MOST = 5;
/** Lines about a refused file that are kept: enough to see what changed. */
const LINES_KEPT = 4;
/** Scheduled imports are credited to nobody. */
const NOBODY: Actor = { userId: null, via: "site" };

/** What a fetch came to; one without a reason is no failure. */
interface Outcome {
  /** `file` and `gone`: the import was refused, with lines that the shell reports. Other words are those of `fetchProblem`. */
  readonly reason?: string;
  readonly lines?: readonly Translatable[];
  readonly import?: number | undefined;
}

/** A named origin of imports. If it has no URL, operators upload its files. */
export interface Source {
  readonly id: number;
  readonly kind: ImportKind;
  readonly name: string;
  readonly settings: UploadSettings;
  readonly url: string | null;
  /** The validators of the file that was imported last. */
  readonly validators: Validators | null;
  readonly paused: "operator" | "failures" | "gone" | null;
  readonly fetched_at: Date | null;
  readonly next_fetch_at: Date | null;
  readonly outcome: Outcome | null;
  /** The counts of the import that the last fetch made. */
  readonly added: number | null;
  readonly changed: number | null;
  readonly removed: number | null;
  readonly is_fetching: boolean;
}

/** SQL: the time of the next fetch by the schedule, or null. */
const NEXT = "now() + make_interval(hours => nullif((settings->>'everyHours')::int, 0))";

export async function listSources(
  db: Db,
  only: { id?: number; kind?: ImportKind; name?: string } = {},
): Promise<Source[]> {
  return selectRows<Source>(
    db,
    `select s.*, i.added, i.changed, i.removed,
            exists (select from graphile_worker.jobs j where j.key = 'fetch_source ' || s.id
                       and (j.attempts < j.max_attempts or j.locked_at is not null)) as is_fetching
       from import_sources s left join imports i on i.id = (s.outcome->>'import')::bigint
      where to_jsonb(s) @> :only::jsonb order by s.name, s.kind`,
    { only: JSON.stringify(only) },
  );
}

/** Saves the settings that a source was imported with, and its address if it is fetched. */
export async function saveSource(
  transaction: Knex.Transaction,
  {
    kind,
    name,
    settings,
    url,
    validators,
  }: Pick<Source, "kind" | "name" | "settings" | "url" | "validators">,
  outcome: Outcome,
  by: Actor,
): Promise<void> {
  const json = { settings: JSON.stringify(settings), validators: validators && JSON.stringify(validators) };
  const [{ id }] = await transaction("import_sources")
    .insert({ kind, name, ...json, ...(url && { url, paused: null }) })
    .onConflict(["kind", "name"])
    .merge()
    .returning("id");
  if (url === null) return;
  await endFetch(transaction, { id, url, settings }, outcome);
  const after = { url, hours: settings.everyHours };
  const action = { action: "source.changed", subject: `sources/${kind}/${name}`, after } as const;
  await recordAction(transaction, by, action);
}

/** Stores what a fetch came to; false if the source was changed or deleted meanwhile. */
async function endFetch(
  db: Db,
  { id, url, settings }: Pick<Source, "id" | "url" | "settings">,
  outcome: Outcome,
  validators?: Validators,
): Promise<boolean> {
  const { reason } = outcome;
  const stop = "coalesce(paused, case when ? then 'gone' when failures + 1 >= ? then 'failures' end)";
  const failed = {
    failures: db.raw("failures + 1"),
    paused: db.raw(stop, [reason === "gone", FAILURES_AT_MOST]),
  };
  const done = { failures: 0, paused: db.raw("nullif(nullif(paused, 'failures'), 'gone')") };
  const changed = await db("import_sources")
    .where({ id, url })
    .whereRaw("settings - 'everyHours' = ?::jsonb - 'everyHours'", [JSON.stringify(settings)])
    .update({
      ...(reason === undefined ? done : failed),
      ...{ outcome: JSON.stringify(outcome), fetched_at: db.fn.now(), next_fetch_at: db.raw(NEXT) },
      ...(validators && { validators: JSON.stringify(validators) }),
    });
  return changed > 0;
}

/** Adds a job for each source whose time has come. Safe in several processes at once. */
export async function addDueFetches(db: Knex): Promise<void> {
  await db.transaction(async (transaction) => {
    const due = await selectRows<{ id: number }>(
      transaction,
      `update import_sources set next_fetch_at = ${NEXT}
        where url is not null and paused is null and next_fetch_at <= now() returning id`,
    );
    await addJobs(
      transaction,
      due.map(({ id }) => fetchJob(id)),
    );
  });
}

/** One queue: one source after the other, however many processes work. */
function fetchJob(id: number, byHand = 0): JobSpec {
  const key = `fetch_source ${id}`;
  return { task: "fetch_source", payload: { id, byHand }, key, queue: "fetch", maxAttempts: 3 };
}

export const SOURCE_ACTIONS = ["fetch", "pause", "resume", "schedule", "delete"] as const;

/** Applies an operator's action to a fetched source; false if there is no such source. Its records stay in any case. */
export async function changeSource(
  db: Knex,
  id: number,
  { action, hours }: { readonly action: (typeof SOURCE_ACTIONS)[number]; readonly hours: number },
  by: Actor,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const raw = transaction.raw.bind(transaction);
    const found = () => transaction("import_sources").where({ id }).whereNotNull("url");
    const hoursNow = raw("settings->'everyHours' as hours");
    const read = () => found().forUpdate().first("kind", "name", "url", "paused", hoursNow);
    const before = await read();
    if (!before) return false;
    const changes = {
      pause: { paused: "operator" },
      resume: { paused: null, failures: 0 },
      schedule: {
        settings: raw("settings || jsonb_build_object('everyHours', ?::int)", [hours]),
        next_fetch_at: raw("now() + make_interval(hours => nullif(?::int, 0))", [hours]),
      },
    };
    if (action === "fetch") await addJobs(transaction, [fetchJob(id, 1)]);
    else if (action === "delete") await found().delete();
    else await found().update(changes[action]);
    const after = await read();
    const done = action === "fetch" ? "source.fetched" : after ? "source.changed" : "source.deleted";
    const states = action === "fetch" ? {} : { before, after };
    await recordAction(transaction, by, {
      action: done,
      subject: `sources/${before.kind}/${before.name}`,
      ...states,
    });
    return true;
  });
}

export interface FetchContext {
  readonly db: Knex;
  readonly vocabulary: LiveVocabulary;
  readonly egress: EgressPolicy;
}

/**
 * The background work of sources that are fetched. A file that is the same as before is not imported. After a failure of
 * the publisher, the next time of the schedule is the retry. Only failures of the site itself reject.
 */
export function fetchTasks({ db, vocabulary, egress }: FetchContext): Pick<Tasks, "fetch_source"> {
  return {
    fetch_source: async (payload, { signal }) => {
      const { id, byHand } = payload as { readonly id: number; readonly byHand: number };
      const [source] = await listSources(db, { id });
      if (!source?.url || (source.paused !== null && byHand === 0)) return;
      const { kind, name, url, validators: known } = source;
      try {
        if (!importKinds().includes(kind))
          throw new UnusableFileError(lazyText("refusals.kind_gone", { kind }));
        const file = await fetchFile(url, { egress, known, stopped: signal });
        if (!file) return void (await endFetch(db, source, {}));
        // What an operator agreed to holds for the file that they saw.
        const settings = { ...source.settings, force: false, onlyKnown: true };
        const read = { kind, source: name, file: file.name, content: file.bytes, settings };
        await vocabulary.noticeChange();
        await importFile(db, vocabulary.file, read, {
          ...{ by: NOBODY, signal },
          complete: async (transaction, id) => {
            const isKept = await endFetch(transaction, source, { import: id }, file.validators);
            if (!isKept) throw new UnusableFileError(lazyText("refusals.source_changed"));
          },
        });
      } catch (error) {
        const outcome = signal.aborted ? undefined : explainFault(error);
        if (!outcome) throw error;
        await endFetch(db, source, outcome);
      }
    },
  };
}

/** undefined for an error of the site. */
function explainFault(error: unknown): Outcome | undefined {
  if (error instanceof DownloadError) return { reason: error.reason };
  if (!(error instanceof UnusableFileError)) return undefined;
  const reason = error.cause instanceof ImportRefusedError && error.cause.removesTooMuch ? "gone" : "file";
  return { reason, lines: [error.said, ...error.lines].slice(0, LINES_KEPT) };
}
