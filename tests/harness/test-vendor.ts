/** Starts a vendor that is simulated from facts, for tests through a whole Busbar. */
import type { Facts } from "../../connector-kit/facts/facts.ts";
import { openGraphqlSide } from "../../simulations/vendor/graphql/graphql-side.ts";
import { startVendor, type RunningVendor } from "../../simulations/vendor/start-vendor.ts";
import { readFacts, readSchema } from "../../simulations/vendor/suite/facts-subject.ts";

type Options = Parameters<typeof startVendor>[1];

/** Starts a provider of the catalog by its name, or another one by facts about it. */
export async function openTestVendor(given: string | Facts, options: Options = {}): Promise<RunningVendor> {
  const facts = typeof given === "string" ? readFacts(given) : given;
  if (!facts) throw new Error(`there are no facts about ${String(given)}`);
  const sdl = readSchema(facts);
  return startVendor(facts, { ...options, ...(sdl !== undefined && { graphql: openGraphqlSide(sdl) }) });
}
