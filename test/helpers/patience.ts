/** For `createDb`: as long as a machine that is busy with several test files may take to let somebody in. */
export const PATIENT = { connectTimeoutMs: 30_000 };
