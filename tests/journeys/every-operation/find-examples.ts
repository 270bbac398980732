/** Finds the examples beside the endpoints and orders them by the dependencies that they declare. */
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import type { ResourceExamples } from "./recording.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** Returns the examples of all resources, each after those that it depends on; otherwise in the order of their names. */
export async function findExamples(): Promise<ResourceExamples[]> {
  const files = globSync("server/**/*.examples.ts", { cwd: ROOT }).toSorted();
  const examples = new Map<string, ResourceExamples>();
  for (const file of files) {
    const { examples: found }: { examples: ResourceExamples } = await import(join(ROOT, file));
    examples.set(basename(file, ".examples.ts"), found);
  }
  return inOrder(examples);
}

/** Throws for a dependency that does not exist and for a circle. */
export function inOrder(examples: Map<string, ResourceExamples>): ResourceExamples[] {
  const ordered = new Set<ResourceExamples>();
  const visit = (name: string, path: string[]): void => {
    const wanted = examples.get(name);
    if (!wanted) throw new Error(`${path.at(-1)}.examples.ts comes after ${name}, which has no examples`);
    if (path.includes(name)) throw new Error(`examples depend on each other: ${[...path, name].join(" → ")}`);
    if (ordered.has(wanted)) return;
    for (const dependency of wanted.after ?? []) visit(dependency, [...path, name]);
    ordered.add(wanted);
  };
  for (const name of examples.keys()) visit(name, []);
  return [...ordered];
}
