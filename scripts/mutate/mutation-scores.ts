/** The figures of `npm run mutate -- … --write`, for the pages of providers: how many changes of a connector its tests noticed. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProviderMutant } from "./try-all.ts";

interface MutationScore {
  killed: number;
  survived: number;
  /** Day of the count: `2026-11-28`. */
  date: string;
}

const FILE = join(import.meta.dirname, "..", "..", "connectors", "mutation-scores.json");

export const readMutationScores = (): Record<string, MutationScore> =>
  existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as Record<string, MutationScore>) : {};

/** Stores what was counted for a provider. */
export function writeMutationScore(provider: string, tried: ProviderMutant[], date: string): void {
  const count = (wanted: ProviderMutant["state"]) => tried.filter(({ state }) => state === wanted).length;
  const scores = {
    ...readMutationScores(),
    [provider]: { killed: count("killed"), survived: count("survived"), date },
  };
  const sorted = Object.fromEntries(
    Object.entries(scores).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}
