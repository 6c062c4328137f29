import { z } from "zod";
import { oneOf, wholeNumber } from "../http/params.ts";

const notificationId = wholeNumber(1, 999_999_999_999_999);

/** Which notifications the inbox shows; a form hands it on, so that its user is back on the same list. */
const show = oneOf(["all", "unread"]).default("all");

export const notificationInput = z.object({ id: notificationId });
export const inboxInput = z.object({ show });
/** Without an id: all of them. */
export const readInput = z.object({ id: notificationId.optional(), show });
export const unreadInput = z.object({ id: notificationId, show });
