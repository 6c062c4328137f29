/**
 * The process between the site and the server. It starts the server, and stops it by a fast shutdown as soon as
 * its standard input ends: because the site asks for it by closing that pipe, or because the site is gone, killed
 * with -9 included. So there is one way to stop, and no way to leave a server behind. It ends when the server
 * does, with the server's exit code. Its standard output is one line, the server's process id.
 *
 * A shell takes 1 MB for that, where a second node would take 40.
 */
export function supervisorCommand(pgCtl: string, directory: string): { file: string; args: string[] } {
  if (process.platform === "win32") {
    return { file: process.execPath, args: ["-e", WINDOWS_SUPERVISOR, pgCtl, directory] };
  }
  return { file: "/bin/sh", args: ["-c", SHELL_SUPERVISOR, "almanac-postgres"] };
}

/**
 * Signals are ignored, because systemd sends SIGTERM to every process of a service (whoever shuts down in an orderly
 * way closes the pipe), and because a site that was killed no longer reads the process id (SIGPIPE). Postgres inherits that deafness until it has set its own handlers, so it is told again and
 * again, until it has ended and the reader is killed: by KILL, because the reader is deaf as well.
 */
const SHELL_SUPERVISOR = `
trap "" HUP INT TERM PIPE
exec 3<&0
"$@" 3<&- </dev/null >&2 &
server=$!
echo "$server"
exec >&2
(read -r _ <&3; while kill -s INT "$server"; do sleep 1; done) &
reader=$!
wait "$server"
status=$?
kill -s KILL "$reader" 2>/dev/null
exit "$status"
`;

/** The same in JavaScript: there is no shell, and no signal that Postgres would take for a fast shutdown. */
const WINDOWS_SUPERVISOR = `
const { spawn } = require("node:child_process");
const [pgCtl, directory, program, ...args] = process.argv.slice(1);
const stdio = ["ignore", 2, 2];
const server = spawn(program, args, { stdio, windowsHide: true });
process.stdout.on("error", () => {}).write(String(server.pid));
server.on("exit", (code) => process.exit(code ?? 1));
const stop = () => {
  spawn(pgCtl, ["stop", "-m", "fast", "-D", directory], { stdio, windowsHide: true }).on("error", () => {});
  setTimeout(stop, 1000);
};
process.stdin.on("error", () => {}).once("close", stop).resume();
`;
