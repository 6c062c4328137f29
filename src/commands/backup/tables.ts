/** Tables of the built-in kinds; a backup may be older than a kind. */
export const RECORD_TABLES: readonly string[] = ["items", "vehicles", "scripts", "houses", "businesses"];

/**
 * The tables of a backup, in addition to those of own kinds. A migration that adds a table adds it here or below:
 * `test/commands/backup-tables.test.ts` compares the two lists with the database.
 */
export const KEPT_TABLES: readonly string[] = [
  ...["users", "api_keys", "api_key_grants", "api_key_days", "api_key_errors", "key_changes"],
  ...["mail_tokens", "settings"],
  "audit_log",
  // After a restore, a repeated write is recognised if its result is there.
  "write_answers",
  ...RECORD_TABLES,
  "own_kinds",
  ...["catalogue_versions", "catalogue_stamps", "catalogue_changes", "catalogue_change_lists"],
  ...["catalogue_revisions", "catalogue_tombstones", "catalogue_words", "imports", "picture_uploads"],
  ...["import_changes", "record_sources", "import_sources"],
  ...["relations", "relation_changes", "reference_attributes", "attribute_relations"],
  ...["servers", "online_records", "online_five_minutes", "online_hours", "online_days", "history_progress"],
  ...["server_alerts", "server_limits", "server_crossings"],
  ...["donate_items", "discounts", "discount_runs", "price_versions", "discount_versions", "shop_changes"],
  ...["server_favorites", "donate_favorites", "entity_favorites"],
  ...["suggestions", "notifications", "notification_settings", "push_subscriptions", "digests", "deliveries"],
  ...["webhooks", "webhook_news", "webhook_events"],
  ...["day_counts"],
];

/** A table without rows in a backup; the text says why, and what comes in their place. */
interface LeftOut {
  readonly table: string;
  readonly why: string;
}

export const LEFT_OUT_TABLES: readonly LeftOut[] = [
  { table: "knex_migrations", why: "its names are in backup.json, and a restore applies them" },
  { table: "knex_migrations_lock", why: "a lock of a running migration" },
  { table: "picture_files", why: "they are in pictures/, wherever the site keeps them" },
  { table: "catalogue_facets", why: "made again from the records" },
  { table: "import_uploads", why: "files that are kept for a day at most" },
  { table: "server_details", why: "of the moment, with names of players: the next poll has them again" },
  { table: "job_pools", why: "which processes run" },
  { table: "job_watch", why: "which processes run" },
  { table: "rate_limits", why: "attempts of the last minutes" },
  { table: "limit_windows", why: "calls of the last minute" },
  { table: "limit_processes", why: "which processes run" },
];

/** Only with the secrets, because a session logs its holder in. */
export const SESSIONS = "sessions";
