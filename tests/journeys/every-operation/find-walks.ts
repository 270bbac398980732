/** Finds the walks beside the endpoints and orders them by the dependencies that they declare. */
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import type { ResourceWalk } from "./walk.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** Returns all walks, each after those that it depends on; otherwise in the order of their names. */
export async function findWalks(): Promise<ResourceWalk[]> {
  const files = globSync("server/**/*.walk.ts", { cwd: ROOT }).toSorted();
  const walks = new Map<string, ResourceWalk>();
  for (const file of files) {
    const { walk }: { walk: ResourceWalk } = await import(join(ROOT, file));
    walks.set(basename(file, ".walk.ts"), walk);
  }
  return inOrder(walks);
}

/** Throws for a dependency that does not exist and for a circle. */
export function inOrder(walks: Map<string, ResourceWalk>): ResourceWalk[] {
  const ordered = new Set<ResourceWalk>();
  const visit = (name: string, path: string[]): void => {
    const walk = walks.get(name);
    if (!walk) throw new Error(`${path.at(-1)}.walk.ts comes after ${name}, which has no walk`);
    if (path.includes(name)) throw new Error(`walks depend on each other: ${[...path, name].join(" → ")}`);
    if (ordered.has(walk)) return;
    for (const dependency of walk.after ?? []) visit(dependency, [...path, name]);
    ordered.add(walk);
  };
  for (const name of walks.keys()) visit(name, []);
  return [...ordered];
}
