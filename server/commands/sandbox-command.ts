/** `busbar sandbox` and `busbar sandbox <provider>`: simulated providers to try Busbar with. */
import { readFacts, readSchema, providersWithFacts } from "../../simulations/vendor/suite/facts-subject.ts";
import { startVendor } from "../../simulations/vendor/start-vendor.ts";
import { PROVIDER_TABLE } from "../../connectors/provider-table.ts";
import type { GraphqlSide } from "../../simulations/vendor/vendor-fields.ts";
import { UsageError } from "../../ground/errors.ts";

/** So that a list has several pages. */
const RECORDS_OF_EACH = 25;

export interface ProviderSandbox {
  url: string;
  /** What the terminal is told. */
  text: string;
  close(): Promise<void>;
}

/** Serves a vendor that is simulated from its facts. Throws `UsageError` for a provider without facts. */
export async function startProviderSandbox(provider: string, port: number): Promise<ProviderSandbox> {
  const facts = readFacts(provider);
  const name = PROVIDER_TABLE[provider]?.displayName;
  if (!facts || name === undefined)
    throw new UsageError(
      `there is no simulation of "${provider}"; without a name the CRMs are served; there are ${providersWithFacts().join(", ")}`,
    );
  const sdl = readSchema(facts);
  const graphql = sdl === undefined ? undefined : await loadGraphql(name, sdl);
  const { vendor, url, close } = await startVendor(facts, { port, ...(graphql && { graphql }) });
  const objects = Object.entries(facts.objects).filter(
    ([, { list }]) => list && !list.path.includes("{parent}"),
  );
  for (const [object] of objects)
    for (let count = 0; count < RECORDS_OF_EACH; count += 1) vendor.records.put(object);
  const overlay = JSON.stringify({ providers: { [provider]: { baseURL: url } } });
  const text =
    `${name}, simulated from facts about its API, at ${url}\n` +
    `  objects with ${RECORDS_OF_EACH} records each: ${objects.map(([object]) => object).join(", ")}\n` +
    `  catalog overlay for BUSBAR_CATALOG: ${overlay}\n` +
    "  sign-in is not simulated: any key or token is accepted; unknown requests are refused as the vendor refuses them\n";
  return { url, text, close };
}

/** The package `graphql` comes with a checkout, not with an installed Busbar, which sends documents and never reads them. */
async function loadGraphql(provider: string, sdl: string): Promise<GraphqlSide> {
  try {
    const { graphqlSide } = await import("../../simulations/vendor/graphql/graphql-side.ts");
    return graphqlSide(sdl);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND")) throw cause;
    throw new UsageError(`the simulation of ${provider} needs a package: npm install graphql@16`);
  }
}
