/** Tries the mutants of several providers, or every nth of them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DESCRIPTIONS } from "../../connectors/descriptions.gen.ts";
import { buildSubject, readFacts } from "../../simulations/vendor/suite/facts-subject.ts";
import { listMutants, type Mutant } from "./mutants.ts";
import type { CheckResult } from "../../simulations/vendor/suite/bench.ts";
import { checkObject } from "../../simulations/vendor/suite/facts-suite.ts";
import { type CodeMutant, listCodeMutants } from "./code-mutants.ts";
import { findFailingOwnTest, findFailingTest, OWN_TEST } from "./own-tests.ts";
import { loadMutated } from "./mutated-modules.ts";
import { checkDescription } from "../../connector-kit/declarative/check/check-description.ts";
import { describeConnector } from "../../connector-kit/declarative/describe-connector.ts";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import type { Facts } from "../../connector-kit/facts/facts.ts";
import { buildFaultName, readKnownFaults } from "../../simulations/vendor/suite/known-faults.ts";

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
    return tryEach(
      provider,
      every,
      listMutants(description),
      createMutantTrial(provider, facts, description),
    );
  const { mutants, attempt } = openCodeTrial(provider);
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

/** Returns a function that tries one mutant. Objects whose files are alike are tried once: the first, and those with other files. */
function openCodeTrial(provider: string): {
  mutants: CodeMutant[];
  attempt(mutant: CodeMutant): Promise<TriedMutant>;
} {
  const facts = readFacts(provider);
  if (!facts) throw new Error(`${provider} has no facts`);
  const objects = listDistinctObjects(provider);
  return {
    mutants: listCodeMutants(provider),
    async attempt(mutant) {
      const { name } = mutant;
      let connector;
      try {
        connector = await loadMutated(provider, mutant);
      } catch (error) {
        return { name, state: "killed", by: `a module that cannot be loaded: ${String(error)}` };
      }
      const subject = buildSubject(provider, facts, connector);
      for (const objectName of objects) {
        const found = (await checkObject(subject, objectName, isFailed)).find(isFailed);
        if (found) return { name, state: "killed", by: `${objectName}: ${found.check}` };
      }
      const test = await findFailingTest(provider, mutant);
      return test === undefined
        ? { name, state: "survived" }
        : { name, state: "killed", by: `${OWN_TEST}${test}` };
    },
  };
}

const isFailed = ({ state }: CheckResult): boolean => state === "failed";

/** Objects of which the connector treats at least one otherwise than the others. */
const DISTINCT: Record<string, string[]> = {
  hubspot: ["contacts", "companies", "owners", "lists"],
  salesforce: ["Contact", "Task"],
};

const listDistinctObjects = (provider: string): string[] =>
  DISTINCT[provider] ?? Object.keys(readFacts(provider)?.objects ?? {});

interface TriedMutant {
  name: string;
  /** `unverified`: no facts are about what it changes. */
  state: "killed" | "survived" | "unverified";
  /** The check that found it. */
  by?: string;
}

/** Returns a function that tries one mutant of a provider. */
function createMutantTrial(
  provider: string,
  facts: Facts,
  description: Description,
): (mutant: Mutant) => Promise<TriedMutant> {
  const broken = readKnownFaults();
  return async ({ name, description: mutated, objects, steps }) => {
    const concerned = objects.filter((objectName) => isCovered(facts, objectName, steps));
    if (concerned.length === 0) return { name, state: "unverified" };
    if (isUnsound(mutated)) return { name, state: "killed", by: "the check of descriptions" };
    const subject = { ...buildSubject(provider, facts, describeConnector(provider, mutated), description) };
    const isFound = (result: CheckResult) =>
      result.state === "failed" && !broken.includes(buildFaultName(provider, result));
    for (const objectName of concerned) {
      const found = (await checkObject(subject, objectName, isFound)).find(isFound);
      if (found) return { name, state: "killed", by: `${objectName}: ${found.check}` };
    }
    const test = await findFailingOwnTest(provider, mutated);
    return test === undefined
      ? { name, state: "survived" }
      : { name, state: "killed", by: `${OWN_TEST}${test}` };
  };
}

function isUnsound(description: Description): boolean {
  try {
    return checkDescription(description).faults.length > 0;
  } catch {
    return true;
  }
}

const ACTIONS = ["get", "create", "update", "upsert", "delete"] as const;

/** Returns whether facts are about an object, and about the request that a mutant changes. */
function isCovered({ objects, errors }: Facts, objectName: string, steps: string[]): boolean {
  const object = Object.hasOwn(objects, objectName) ? objects[objectName] : undefined;
  if (!object) return false;
  if (steps[0] === "errors") return errors !== undefined;
  const action = ACTIONS.find((one) => steps.slice(0, 3).includes(one));
  return action === undefined
    ? object.list !== undefined || object.create !== undefined
    : object[action] !== undefined;
}
