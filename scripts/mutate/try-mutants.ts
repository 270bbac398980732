/** Runs the suite of facts, then the description's own test, for each mutant of a description, and tells which of them they find. */
import { checkDescription } from "../../connector-kit/declarative/check/check-description.ts";
import { describeConnector } from "../../connector-kit/declarative/describe-connector.ts";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import type { Facts } from "../../connector-kit/facts/facts.ts";
import type { CheckResult } from "../../simulations/vendor/suite/bench.ts";
import { checkObject } from "../../simulations/vendor/suite/facts-suite.ts";
import { buildSubject } from "../../simulations/vendor/suite/facts-subject.ts";
import { buildFaultName, readKnownFaults } from "../../simulations/vendor/suite/known-faults.ts";
import { failingOwnTest, OWN_TEST } from "./own-tests.ts";
import type { Mutant } from "./mutants.ts";

export interface TriedMutant {
  name: string;
  /** `unverified`: no facts are about what it changes. */
  state: "killed" | "survived" | "unverified";
  /** The check that found it. */
  by?: string;
}

/** Returns a function that tries one mutant of a provider. */
export function mutantTrial(
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
    const test = await failingOwnTest(provider, mutated);
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
