/** A call that cannot be carried out as it was written: exit code 2, with one line that says why. */
export class UsageError extends Error {
  override name = "UsageError";
}
