/**
 * Compares connectors with the facts about their vendors: `npm run facts:check -- stripe [object]`, or that of a custom provider:
 * `npm run facts:check -- providers/x-quill.yaml --facts quill.json`. With `--known`, the faults that are
 * there now become the known ones of these providers.
 */
import { parseArgs } from "node:util";
import { UsageError } from "../ground/errors.ts";
import {
  listProvidersWithFacts,
  readFacts,
  buildSubject,
} from "../simulations/vendor/suite/facts-subject.ts";
import {
  buildFaultName,
  readKnownFaults,
  writeKnownFaults,
} from "../simulations/vendor/suite/known-faults.ts";
import type { Subject } from "../simulations/vendor/suite/bench.ts";
import { readCustomSubject } from "../simulations/vendor/suite/custom-provider.ts";
import { checkObject } from "../simulations/vendor/suite/facts-suite.ts";

const { values, positionals } = parseArgs({
  options: { known: { type: "boolean" }, all: { type: "boolean" }, facts: { type: "string" } },
  allowPositionals: true,
});
const [provider, wanted] = positionals;
if (provider === undefined && !values.all) {
  console.error("Name a provider, or --all.");
  process.exit(2);
}
const MARKS = { passed: "✓", failed: "✗", unverified: "?" };
const counts = { passed: 0, failed: 0, unverified: 0 };
const faults: string[] = [];
const providers = provider === undefined ? listProvidersWithFacts() : [provider];
for (const name of providers) {
  const subject = readSubjectOrEnd(name);
  for (const objectName of Object.keys(subject.promised)) {
    if (wanted !== undefined && wanted !== objectName) continue;
    for (const result of await checkObject(subject, objectName)) {
      counts[result.state] += 1;
      if (result.state === "failed") faults.push(buildFaultName(name, result));
      if (result.state !== "passed" || provider !== undefined)
        console.log(
          `${MARKS[result.state]} ${name} ${objectName}: ${result.check}${result.message === undefined ? "" : `\n    ${result.message}`}`,
        );
    }
  }
}
console.log(`${counts.passed} checks passed, ${counts.failed} failed, ${counts.unverified} are unverified.`);
if (values.known && wanted === undefined) {
  const others = readKnownFaults().filter((fault) => !providers.includes(fault.split(" ")[0] ?? ""));
  writeKnownFaults([...others, ...faults]);
  console.log("connectors/known-faults.json is written.");
} else if (counts.failed > 0) process.exitCode = 1;

/** Ends with the message alone where a file cannot be used. */
function readSubjectOrEnd(name: string): Subject {
  try {
    return readSubject(name);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return process.exit(error.exitCode);
  }
}

function readSubject(name: string): Subject {
  if (values.facts !== undefined) return readCustomSubject(name, values.facts);
  const facts = readFacts(name);
  if (!facts) throw new UsageError(`there is no connectors/${name}/facts.json`);
  return buildSubject(name, facts);
}
