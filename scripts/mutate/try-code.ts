/** Tries the mutants of a connector that is written out in code: first the suite of facts, then the connector's own tests. */
import { checkObject } from "../../simulations/vendor/suite/facts-suite.ts";
import { buildSubject, readFacts } from "../../simulations/vendor/suite/facts-subject.ts";
import { listCodeMutants, type CodeMutant } from "./code-mutants.ts";
import { failingTest, OWN_TEST } from "./own-tests.ts";
import { loadMutated } from "./mutated-modules.ts";
import type { TriedMutant } from "./try-mutants.ts";

/** Returns a function that tries one mutant. Objects whose files are alike are tried once: the first, and those with other files. */
export function codeTrial(provider: string): {
  mutants: CodeMutant[];
  attempt(mutant: CodeMutant): Promise<TriedMutant>;
} {
  const facts = readFacts(provider);
  if (!facts) throw new Error(`${provider} has no facts`);
  const objects = distinctObjects(provider);
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
      for (const objectName of objects)
        for (const result of await checkObject(subject, objectName, { stopsAtFailure: true }))
          if (result.state === "failed")
            return { name, state: "killed", by: `${objectName}: ${result.check}` };
      const test = await failingTest(provider, mutant);
      return test === undefined
        ? { name, state: "survived" }
        : { name, state: "killed", by: `${OWN_TEST}${test}` };
    },
  };
}

/** Objects of which the connector treats at least one otherwise than the others. */
const DISTINCT: Record<string, string[]> = {
  hubspot: ["contacts", "companies", "owners", "lists"],
  salesforce: ["Contact", "Task"],
};

const distinctObjects = (provider: string): string[] =>
  DISTINCT[provider] ?? Object.keys(readFacts(provider)?.objects ?? {});
