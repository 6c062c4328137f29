import type { Knex } from "knex";
import { type Actor, recorded } from "../../../db/audit-queries.ts";
import type { GrantedScope } from "../../../words/scopes.ts";
import { grantScope, revokeGrant } from "../grant-queries.ts";

/** Grants a scope, as `grantScope` does, with a line of the audit log. */
export function letKey(
  db: Knex,
  by: Actor,
  keyId: number,
  { scope, ...until }: { scope: GrantedScope; day: string; timeZone?: string | undefined },
): Promise<Date | undefined> {
  return recorded(
    db,
    by,
    (transaction) => grantScope(transaction, { keyId, scope, ...until, by: by.userId }),
    (endsAt) =>
      endsAt && { action: "key.granted", subject: subjectOf(keyId), after: { scope, ends_at: endsAt } },
  );
}

/** Revokes a scope, as `revokeGrant` does. */
export function takeFromKey(
  db: Knex,
  by: Actor,
  keyId: number,
  scope: GrantedScope,
): ReturnType<typeof revokeGrant> {
  return recorded(
    db,
    by,
    (transaction) => revokeGrant(transaction, keyId, scope),
    (revoked) => revoked && { action: "key.ungranted", subject: subjectOf(keyId), before: { scope } },
  );
}

function subjectOf(keyId: number): string {
  return `keys/${keyId}`;
}
