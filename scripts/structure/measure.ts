/** Counts what describes the structure: sizes, the deepest chain of imports, the most imported files. */
import type { ImportGraph, Source } from "./import-graph.ts";

export interface Sizes {
  files: number;
  lines: number;
  median: number;
  p90: number;
  max: number;
}

export function measureSizes(sources: readonly Pick<Source, "lines">[]): Sizes {
  const sorted = sources.map(({ lines }) => lines).toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return {
    files: sorted.length,
    lines: sorted.reduce((sum, lines) => sum + lines, 0),
    median: at(0.5),
    p90: at(0.9),
    max: at(1),
  };
}

/** Returns the files of the longest chain of imports, top first. An import back into the chain is not followed. */
export function findDeepestChain(graph: ImportGraph): string[] {
  const chains = new Map<string, string[]>();
  function below(file: string): string[] {
    const known = chains.get(file);
    if (known) return known;
    chains.set(file, [file]);
    const deepest = pickLongest((graph.get(file) ?? []).map(below));
    const chain = [file, ...deepest];
    chains.set(file, chain);
    return chain;
  }
  return pickLongest([...graph.keys()].map(below));
}

/** Returns the files that one reaches by its imports, itself included. */
export function listReached(graph: ImportGraph, file: string): Set<string> {
  const reached = new Set([file]);
  for (const each of reached) for (const target of graph.get(each) ?? []) reached.add(target);
  return reached;
}

/** Returns how many files import each file, the most imported first. */
export function listMostImported(graph: ImportGraph, count: number): [file: string, importers: number][] {
  const importers = Map.groupBy([...graph.values()].flat(), (target) => target);
  return [...importers]
    .map(([file, found]): [string, number] => [file, found.length])
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count);
}

const pickLongest = (chains: string[][]): string[] =>
  chains.reduce((best, chain) => (chain.length > best.length ? chain : best), []);
