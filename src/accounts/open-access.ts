import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { countSubscriptions, removeSubscriptions } from "../notifications/push/queries.ts";
import { isFeedOpen, moveFeed } from "../notifications/settings-queries.ts";
import { countWebhooksOn, switchAllOff } from "../notifications/webhooks/queries.ts";
import { type LazyText, lazyText } from "../words/i18n/lazy-text.ts";
import { countLiveKeys, revokeAllKeys } from "./keys/queries.ts";

/** The ways into an account without its password, with their number, or the number ended. */
export interface OpenAccess {
  /** Live API keys. */
  keys: number;
  /** 1 if the private feed is on. */
  feed: number;
  /** Browsers that get notifications. */
  browsers: number;
  /** Webhooks that are on. */
  webhooks: number;
}

export interface EndedAccess extends OpenAccess {
  /** 1 if a new password dropped an unconfirmed address. */
  address?: number;
}

/** Check boxes of the accesses to end. */
export const accessForm = z.object({
  end_keys: z.literal("yes").optional().catch(undefined),
  end_feed: z.literal("yes").optional().catch(undefined),
  end_browsers: z.literal("yes").optional().catch(undefined),
  end_webhooks: z.literal("yes").optional().catch(undefined),
});

export const ACCESS_FIELDS = Object.keys(accessForm.shape);

export type AccessChoice = z.output<typeof accessForm>;

export const END_ALL: AccessChoice = {
  end_keys: "yes",
  end_feed: "yes",
  end_browsers: "yes",
  end_webhooks: "yes",
};

/** The access that remains when a user's sessions end. */
export async function findOpenAccess(db: Db, userId: number): Promise<OpenAccess> {
  const [keys, feed, browsers, webhooks] = await Promise.all([
    countLiveKeys(db, userId),
    isFeedOpen(db, userId),
    countSubscriptions(db, userId),
    countWebhooksOn(db, userId),
  ]);
  return { keys, feed: Number(feed), browsers, webhooks };
}

/** Ends the chosen access, in a transaction that has locked the user's row; resolves to what it ended. */
export async function endAccess(transaction: Db, userId: number, choice: AccessChoice): Promise<OpenAccess> {
  return {
    keys: choice.end_keys ? await revokeAllKeys(transaction, userId) : 0,
    feed: choice.end_feed ? await moveFeed(transaction, userId) : 0,
    browsers: choice.end_browsers ? await removeSubscriptions(transaction, userId) : 0,
    webhooks: choice.end_webhooks ? await switchAllOff(transaction, userId) : 0,
  };
}

/** The ended accesses, as sentences. */
export function endedTexts({ keys, feed, browsers, webhooks, address = 0 }: EndedAccess): LazyText[] {
  return [
    ...(address > 0 ? [lazyText("accounts.access.ended_address")] : []),
    ...(keys > 0 ? [lazyText("accounts.access.ended_keys", { count: keys })] : []),
    ...(feed > 0 ? [lazyText("accounts.access.ended_feed")] : []),
    ...(browsers > 0 ? [lazyText("accounts.access.ended_browsers", { count: browsers })] : []),
    ...(webhooks > 0 ? [lazyText("accounts.access.ended_webhooks", { count: webhooks })] : []),
  ];
}
