import path from "node:path";

/** Files of src, each with those that it imports, types included. */
export type ImportGraph = Map<string, Set<string>>;

/** The graph of these files' imports of one another; what lies elsewhere is left out. */
export function importGraph(files: readonly string[], read: (file: string) => string): ImportGraph {
  return new Map(files.map((file) => [file, new Set(importsOf(file, read(file)))]));
}

/** The packages that a source names. */
export function packagesOf(source: string): string[] {
  return specifiersOf(source).filter((specifier) => !specifier.startsWith("."));
}

function importsOf(file: string, source: string): string[] {
  return specifiersOf(source)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => path.posix.join(path.posix.dirname(file), specifier))
    .filter((target) => target.startsWith("src/"));
}

function specifiersOf(source: string): string[] {
  return [...source.matchAll(/(?:from|import)\s+"([^"]+)"|import\("([^"]+)"\)/g)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
}

/**
 * A folder of src: `src/servers` of `src/servers/poller/poll.ts`. The files that lie in none are the wiring, one room
 * together, except the entry point.
 */
export function roomOf(file: string): string {
  const [, first = ""] = file.split("/");
  return !first.endsWith(".ts") || first === "main.ts" ? `src/${first}` : "src/*.ts";
}

/** A shortest loop of files, the first repeated at the end, or undefined. */
export function findLoop(graph: ImportGraph): string[] | undefined {
  const loops = [...graph.keys()]
    .map((start) => pathBetween(graph, start, start))
    .filter((loop) => loop !== undefined);
  return loops.sort((a, b) => a.length - b.length)[0];
}

/** A shortest loop of rooms, as the imports that close it: `src/a/x.ts -> src/b/y.ts`, or undefined. */
export function findRoomLoop(graph: ImportGraph): string[] | undefined {
  const rooms: ImportGraph = new Map([...graph.keys()].map((file) => [roomOf(file), new Set()]));
  const example = new Map<string, string>();
  for (const [from, targets] of graph) {
    for (const to of targets) {
      if (roomOf(from) === roomOf(to)) continue;
      rooms.get(roomOf(from))?.add(roomOf(to));
      example.set(`${roomOf(from)} ${roomOf(to)}`, `${from} -> ${to}`);
    }
  }
  const loop = findLoop(rooms);
  return loop?.slice(1).map((room, index) => example.get(`${loop[index]} ${room}`) ?? room);
}

/** The shortest way along the imports, by breadth. */
function pathBetween(graph: ImportGraph, start: string, end: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const next of graph.get(file) ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      if (next === end) return wayBack(cameFrom, start, end);
      queue.push(next);
    }
  }
  return undefined;
}

function wayBack(cameFrom: Map<string, string>, start: string, end: string): string[] {
  const way = [end];
  do way.unshift(cameFrom.get(way[0] ?? "") ?? start);
  while (way[0] !== start);
  return way;
}

/** Each room of the table of floors in docs/architecture.md, with its floor. */
export function readFloors(markdown: string): Map<string, number> {
  const rows = [...markdown.matchAll(/^\| (\d+) \| `([^`]+)` \| .+ \|$/gm)];
  return new Map(rows.map(([, floor, room]) => [`src/${room}`, Number(floor)]));
}

/** The floor of a file's room. */
export function floorOf(floors: ReadonlyMap<string, number>, file: string): number {
  return floors.get(roomOf(file)) ?? Number.NaN;
}
