import { enableCompileCache } from "node:module";
import path from "node:path";

// Beside the packages, and not where Node would keep it: all users of a machine may write there.
enableCompileCache(path.join(import.meta.dirname, "../node_modules/.cache/node"));
// What is imported above is loaded before this file runs.
const { runCli } = await import("./cli.ts");

process.exitCode = await runCli(process.argv.slice(2), process.env);
