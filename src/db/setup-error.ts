/**
 * Something that an operator has to put right before the site can use its database: no binaries for this
 * platform, a wrong password, a directory of another version. The message is what they read; a stack adds nothing.
 */
export class DatabaseSetupError extends Error {
  override name = "DatabaseSetupError";
}
