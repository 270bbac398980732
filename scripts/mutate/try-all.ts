/** Tries the mutants of several providers, or every nth of them. */
import { DESCRIPTIONS } from "../../connectors/descriptions.gen.ts";
import { readFacts } from "../../simulations/vendor/suite/facts-subject.ts";
import { listMutants } from "./mutants.ts";
import { codeTrial } from "./try-code.ts";
import { mutantTrial, type TriedMutant } from "./try-mutants.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface ProviderMutant extends TriedMutant {
  provider: string;
  /** Why it survives, as `connectors/surviving-mutants.json` says. */
  reason?: string;
}

/** Tries every nth mutant of a provider. */
export async function tryMutants(provider: string, every = 1): Promise<ProviderMutant[]> {
  const facts = readFacts(provider);
  const description = DESCRIPTIONS[provider];
  if (!facts) throw new Error(`${provider} has no facts`);
  if (description)
    return tryEach(provider, every, listMutants(description), mutantTrial(provider, facts, description));
  const { mutants, attempt } = codeTrial(provider);
  return tryEach(provider, every, mutants, attempt);
}

async function tryEach<M extends { name: string }>(
  provider: string,
  every: number,
  mutants: M[],
  attempt: (mutant: M) => Promise<TriedMutant>,
): Promise<ProviderMutant[]> {
  const reasons = readSurvivors()[provider] ?? {};
  const tried: ProviderMutant[] = [];
  for (const mutant of mutants.filter((_, index) => index % every === 0)) {
    const reason = Object.hasOwn(reasons, mutant.name) ? reasons[mutant.name] : undefined;
    tried.push({ provider, ...(await attempt(mutant)), ...(reason !== undefined && { reason }) });
  }
  return tried;
}

/** Returns how many of a hundred mutants that facts are about are found. */
export function computeScore(tried: readonly TriedMutant[]): number {
  const killed = tried.filter(({ state }) => state === "killed").length;
  const survived = tried.filter(({ state }) => state === "survived").length;
  return killed + survived === 0 ? 100 : (100 * killed) / (killed + survived);
}

const FILE = join(import.meta.dirname, "..", "..", "connectors", "surviving-mutants.json");

/** Returns the reasons by provider and mutant. */
export const readSurvivors = (): Record<string, Record<string, string>> =>
  JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Record<string, string>>;
