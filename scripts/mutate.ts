/**
 * Changes one member of a description at a time, or one constant of a connector's source, and tells whether the suite of facts finds it: `npm run mutate -- stripe`, `-- --all`,
 * `-- --all --sample 20` for every twentieth. With `--write`, the figures go onto the pages of providers. Survivors are listed in `connectors/surviving-mutants.json` with a reason.
 */
import { parseArgs } from "node:util";
import { computeScore, tryMutants, type ProviderMutant } from "./mutate/try-all.ts";
import { nowMs } from "../ground/clock.ts";
import { writeMutationScore } from "./mutate/mutation-scores.ts";
import { OWN_TEST } from "./mutate/own-tests.ts";
import { listProvidersWithFacts } from "../simulations/vendor/suite/facts-subject.ts";

const { values, positionals } = parseArgs({
  options: {
    all: { type: "boolean" },
    sample: { type: "string", default: "1" },
    verbose: { type: "boolean" },
    write: { type: "boolean" },
  },
  allowPositionals: true,
});
const providers = values.all ? listProvidersWithFacts() : positionals;
if (providers.length === 0) {
  console.error("Name providers, or --all.");
  process.exit(2);
}
const all: ProviderMutant[] = [];
for (const provider of providers) {
  const tried = await tryMutants(provider, Number(values.sample));
  for (const { state, name, by, reason } of tried) {
    if (state === "survived")
      console.log(`  survived: ${provider} ${name}${reason === undefined ? "" : ` (known: ${reason})`}`);
    else if (values.verbose)
      console.log(`  ${state}: ${provider} ${name}${by === undefined ? "" : ` by ${by}`}`);
  }
  console.log(`${provider}: ${summarizeMutants(tried)}`);
  if (values.write && values.sample === "1")
    writeMutationScore(provider, tried, new Date(nowMs()).toISOString().slice(0, 10));
  all.push(...tried);
}
if (providers.length > 1) {
  const explained = all.filter(({ state, reason }) => state === "survived" && reason !== undefined).length;
  console.log(
    `all: ${summarizeMutants(all)}; ${explained} of the survivors have a reason in connectors/surviving-mutants.json`,
  );
}

function summarizeMutants(tried: ProviderMutant[]): string {
  const count = (wanted: ProviderMutant["state"]) => tried.filter(({ state }) => state === wanted).length;
  const byTests = tried.filter(({ by }) => by?.startsWith(OWN_TEST)).length;
  return (
    `${computeScore(tried).toFixed(1)} of 100 die: ${count("killed")} killed${byTests > 0 ? `, ${byTests} of them by the connector's own tests` : ""}, ` +
    `${count("survived")} survived; ` +
    `${count("unverified")} change what no fact is about`
  );
}
