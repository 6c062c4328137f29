/** A call of a command that makes no sense: exit code 2 and one line. */
export class UsageError extends Error {
  override name = "UsageError";
}
