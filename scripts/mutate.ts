/**
 * Changes one member of a description at a time, and tells whether the suite of facts finds it: `npm run mutate -- stripe`, `-- --all`,
 * `-- --all --sample 20` for every twentieth. Survivors are listed in `connectors/surviving-mutants.json` with a reason.
 */
import { parseArgs } from "node:util";
import { DESCRIPTIONS } from "../connectors/descriptions.gen.ts";
import { providersWithFacts, readFacts } from "../simulations/vendor/suite/facts-subject.ts";
import { mutantsOf } from "../simulations/vendor/mutate/mutants.ts";
import { mutantTrial } from "../simulations/vendor/mutate/try-mutants.ts";
import { readSurvivors } from "../simulations/vendor/mutate/survivors.ts";

const { values, positionals } = parseArgs({
  options: {
    all: { type: "boolean" },
    sample: { type: "string", default: "1" },
    verbose: { type: "boolean" },
  },
  allowPositionals: true,
});
const providers = values.all ? providersWithFacts() : positionals;
if (providers.length === 0) {
  console.error("Name providers, or --all.");
  process.exit(2);
}
const every = Number(values.sample);
const known = readSurvivors();
const sum = { killed: 0, survived: 0, unverified: 0, explained: 0 };
for (const provider of providers) {
  const facts = readFacts(provider);
  const description = DESCRIPTIONS[provider];
  if (!facts || !description) throw new Error(`${provider} has no facts or no description`);
  const attempt = await mutantTrial(provider, facts, description);
  const counts = { killed: 0, survived: 0, unverified: 0 };
  for (const mutant of mutantsOf(description).filter((_, index) => index % every === 0)) {
    const { state, name, by } = await attempt(mutant);
    counts[state] += 1;
    const reason = known[provider]?.[name];
    if (state === "survived" && reason !== undefined) sum.explained += 1;
    if (state === "survived")
      console.log(`  survived: ${provider} ${name}${reason === undefined ? "" : ` (known: ${reason})`}`);
    else if (values.verbose)
      console.log(`  ${state}: ${provider} ${name}${by === undefined ? "" : ` by ${by}`}`);
  }
  for (const state of ["killed", "survived", "unverified"] as const) sum[state] += counts[state];
  console.log(`${provider}: ${told(counts)}`);
}
if (providers.length > 1)
  console.log(
    `all: ${told(sum)}; ${sum.explained} of the survivors have a reason in connectors/surviving-mutants.json`,
  );

function told({ killed, survived, unverified }: typeof sum | Omit<typeof sum, "explained">): string {
  const tried = killed + survived;
  const score = tried === 0 ? "nothing tried" : `${((100 * killed) / tried).toFixed(1)} of 100 die`;
  return `${score}: ${killed} killed, ${survived} survived; ${unverified} change what no fact is about`;
}
