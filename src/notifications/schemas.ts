import { z } from "zod";
import { oneOf, wholeNumber } from "../http/params.ts";
import { EMAIL_CHOICES } from "./settings-queries.ts";

const notificationId = wholeNumber(1, 999_999_999_999_999);

/** Which notifications the inbox shows; a form hands it on, so that its user is back on the same list. */
const show = oneOf(["all", "unread"]).default("all");

export const notificationInput = z.object({ id: notificationId });
export const inboxInput = z.object({ show });
/** Without an id: all of them. */
export const readInput = z.object({ id: notificationId.optional(), show });
export const unreadInput = z.object({ id: notificationId, show });

export const emailForm = z.object({
  email: oneOf(EMAIL_CHOICES),
  digest_hour: wholeNumber(0, 23).optional(),
});
export const pushForm = z.object({ push: oneOf(["on", "off"]) });
export const feedForm = z.object({ feed: oneOf(["on", "off", "renew"]) });
