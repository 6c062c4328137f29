import { pino } from "pino";
import { securityLog } from "../http/log.ts";
import { type SecurityDetails, type SecurityEvent, userFields } from "../http/security-log.ts";
import type { CommandContext } from "./command.ts";

/**
 * One line about what a command did, as the site writes them, to standard error. A terminal keeps none, and whoever sits
 * there is told in words.
 */
export function logCommand(
  { config, err, isTerminal }: CommandContext,
  event: SecurityEvent,
  { user, ...more }: SecurityDetails,
): void {
  if (isTerminal) return;
  const log = pino({ level: config.logLevel }, { write: (line) => err(line.trimEnd()) });
  securityLog(log).info({ security: event, ...userFields(user), ...more, by: "command" });
}
