/** Finds what the structure must not have: import circles, folders that import each other, file names used twice. */
import { basename, dirname } from "node:path";
import type { ImportGraph } from "./import-graph.ts";

/**
 * Returns the groups of files that reach each other by their imports (Tarjan's strongly connected components). Type
 * imports count: two files that need each other's types cannot be read or moved one at a time.
 */
export function findCircles(graph: ImportGraph): string[][] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];

  /** Returns the earliest visited file that `file` reaches. */
  function visit(file: string): number {
    const own = order.size;
    order.set(file, own);
    open.push(file);
    let earliest = own;
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) earliest = Math.min(earliest, visit(target));
      else if (open.includes(target)) earliest = Math.min(earliest, order.get(target) ?? own);
    }
    if (earliest === own) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return earliest;
  }

  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles.toSorted(([a], [b]) => compare(a, b));
}

/**
 * Returns the pairs of main folders and the pairs of their subfolders that import each other. A folder and its own
 * subfolder may.
 */
export function findMutualFolders(graph: ImportGraph): string[] {
  const mainFolders = findMutual(graph, findMainFolder);
  const folders = findMutual(graph, dirname).filter(
    ([a, b]) => findMainFolder(`${a}/`) === findMainFolder(`${b}/`) && !`${b}/`.startsWith(`${a}/`),
  );
  return [...mainFolders, ...folders].map(([a, b]) => `${a} ⇄ ${b}`);
}

/** Returns the main folder of a file: `server/<folder>` in the server, else the folder at the top of the project. */
export function findMainFolder(file: string): string {
  const [top = "", second = "", third] = file.split("/");
  return top === "server" && third !== undefined ? `${top}/${second}` : top;
}

function findMutual(graph: ImportGraph, getPlace: (file: string) => string): [string, string][] {
  const arrows = new Set<string>();
  for (const [file, targets] of graph) {
    for (const target of targets) arrows.add(`${getPlace(file)} ${getPlace(target)}`);
  }
  return [...arrows]
    .map((arrow) => arrow.split(" "))
    .flatMap(([from = "", to = ""]): [string, string][] =>
      from < to && arrows.has(`${to} ${from}`) ? [[from, to]] : [],
    )
    .toSorted(([a], [b]) => compare(a, b));
}

/**
 * Returns the file names that occur more than once, each with its places. A resource of the API may have the name of its
 * table in the store.
 */
export function findSharedNames(files: readonly string[]): string[] {
  const keyed = Map.groupBy(files, (file) => `${file.startsWith("server/api/")} ${basename(file)}`);
  return [...keyed.values()]
    .filter((places) => places.length > 1)
    .map((places) => `${basename(places[0] ?? "")}: ${places.map((file) => dirname(file)).join(", ")}`)
    .toSorted();
}

const compare = (a = "", b = ""): number => (a < b ? -1 : 1);
