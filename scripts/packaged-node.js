// @ts-check
/**
 * After an installation, makes `node` in npm's scripts the Node that came as a package, whatever Node runs npm. npm links it
 * into node_modules/.bin, but npm 10 removes that link together with those of other platforms.
 *
 * Plain JavaScript, because the Node that runs npm may be too old for TypeScript.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

const root = process.cwd();
const { optionalDependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const isWindows = process.platform === "win32";
const platform = `${isWindows ? "win" : process.platform}-${process.arch}`;
const name = Object.keys(optionalDependencies).find(
  (each) => each.startsWith("node-") && each.endsWith(`-${platform}`),
);
const bin = path.join(root, "node_modules/.bin");
const program = path.join(root, `node_modules/${name}/bin/${isWindows ? "node.exe" : "node"}`);

if (name !== undefined) {
  // npm prints nothing about a package for this platform that it could not download.
  if (existsSync(program)) usePackage();
  else useOwn(`${name} is not installed`);
}

function usePackage() {
  try {
    execFileSync(program, ["--version"], { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    // musl, or a glibc that is too old: the machine's own Node has to do.
    removeLinks();
    const { stderr, message } = /** @type {Error & { stderr?: Buffer }} */ (error);
    const [reason] = (stderr?.toString().trim() || message).split("\n");
    useOwn(`${name} does not run here (${reason})`);
    return;
  }
  mkdirSync(bin, { recursive: true });
  removeLinks();
  // Headers for building native add-ons: a third of the package.
  rmSync(path.join(root, `node_modules/${name}/include`), { recursive: true, force: true });
  // Before node.cmd: Windows asks whether to terminate a batch job when it is stopped by Ctrl-C.
  if (isWindows) linkSync(program, path.join(bin, "node.exe"));
  else writeFileSync(path.join(bin, "node"), launcher());
  // Whatever the umask: a service runs as another user.
  if (!isWindows) chmodSync(path.join(bin, "node"), 0o755);
}

/** @param {string} reason */
function useOwn(reason) {
  process.stderr.write(`${reason}: npm start uses the Node of this machine, ${process.version}.\n`);
}

function removeLinks() {
  for (const file of ["node", "node.cmd", "node.ps1", "node.exe"])
    rmSync(path.join(bin, file), { force: true });
}

/** A shell script, because a program that was cut off crashes without a word, and an empty one seems to succeed. */
function launcher() {
  return `#!/bin/sh
# Made by scripts/packaged-node.js.
node="\${0%/*}/../${name}/bin/node"
if [ -x "$node" ] && [ "$(wc -c <"$node")" -eq ${statSync(program).size} ]; then exec "$node" "$@"; fi
echo "almanac: the Node in node_modules/${name} is incomplete: run npm ci again" >&2
exit 1
`;
}
