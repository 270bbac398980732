/** `busbar sandbox`, `busbar sandbox <provider>` and `busbar sandbox <file> --facts <file>`: simulated providers to try Busbar with. */
import { basename } from "node:path";
import { PROVIDER_TABLE } from "../../connectors/provider-table.ts";
import { suggestName } from "../../ground/closest.ts";
import { UsageError } from "../../ground/errors.ts";
import { startVendor } from "../../simulations/vendor/start-vendor.ts";
import {
  listProvidersWithFacts,
  readFacts,
  readSchema,
} from "../../simulations/vendor/suite/facts-subject.ts";
import {
  isProviderFile,
  readFactsFile,
  readProviderFile,
} from "../../simulations/vendor/suite/custom-provider.ts";
import type { GraphqlSide } from "../../simulations/vendor/vendor-fields.ts";

/** Enough records for a list of several pages. */
const RECORDS_OF_EACH = 25;

interface ProviderSandbox {
  url: string;
  /** Text for the terminal. */
  text: string;
  close(): Promise<void>;
}

/** What is simulated, and how Busbar is pointed to it. */
interface Simulated {
  name: string;
  from: string;
  facts: NonNullable<ReturnType<typeof readFacts>>;
  /** The schema of a vendor that speaks GraphQL. */
  sdl?: string;
  direct(url: string): string;
}

/**
 * Serves a vendor that is simulated from facts: those of a provider of the catalog, or those in `factsFile` about the provider that a builder
 * has described in a file. Throws `UsageError` for a provider without facts, and for files with faults.
 */
export async function startProviderSandbox(
  provider: string,
  at: { port: number; host?: string },
  factsFile?: string,
): Promise<ProviderSandbox> {
  const { name, from, facts, sdl, direct } = isProviderFile(provider)
    ? simulateCustom(provider, factsFile)
    : simulateKnown(provider, factsFile);
  const graphql = sdl === undefined ? undefined : await simulateGraphql(sdl);
  const { vendor, url, close } = await startVendor(facts, { ...at, ...(graphql && { graphql }) });
  const objects = Object.entries(facts.objects).filter(
    ([, { list }]) => list && !list.path.includes("{parent}"),
  );
  for (const [object] of objects)
    for (let count = 0; count < RECORDS_OF_EACH; count += 1) vendor.records.put(object);
  vendor.records.followTime();
  const text =
    `${name}, simulated from ${from}, at ${url}\n` +
    `  objects with ${RECORDS_OF_EACH} records each: ${objects.map(([object]) => object).join(", ")}\n` +
    `  ${direct(url)}\n` +
    "  sign-in is not simulated: any key or token is accepted; unknown requests are refused as the vendor refuses them\n";
  return { url, text, close };
}

function simulateKnown(provider: string, factsFile: string | undefined): Simulated {
  const facts = readFacts(provider);
  const name = PROVIDER_TABLE[provider]?.displayName;
  if (!facts || name === undefined)
    throw new UsageError(
      `there is no simulation of "${provider}". ${suggestName(provider, listProvidersWithFacts(), "")} ` +
        `Without a name the CRMs are served; there are ${listProvidersWithFacts().join(", ")}; ` +
        "for a custom provider give its file: busbar sandbox providers/x-quill.yaml --facts FILE",
    );
  if (factsFile !== undefined)
    throw new UsageError(`${provider} has facts of its own; --facts is for the file of a custom provider`);
  return {
    name,
    from: "facts about its API",
    facts,
    sdl: readSchema(facts),
    direct: (url) =>
      `catalog overlay for BUSBAR_CATALOG: ${JSON.stringify({ providers: { [provider]: { baseURL: url } } })}`,
  };
}

function simulateCustom(file: string, factsFile: string | undefined): Simulated {
  if (factsFile === undefined)
    throw new UsageError(
      `${file} says how Busbar calls the provider, and not how the provider answers: give --facts FILE, the facts about its API ` +
        "(docs/guide/checking-providers.md)",
    );
  const { info, description } = readProviderFile(file);
  const { facts, sdl } = readFactsFile(factsFile);
  const strange = Object.keys(facts.objects).filter((name) => !Object.hasOwn(description.objects, name));
  if (strange.length > 0)
    throw new UsageError(
      `${factsFile}: objects.${strange[0]}: ${file} has no object of this name; it has ${Object.keys(description.objects).join(", ")}`,
    );
  return {
    name: `${info.displayName} (${info.name})`,
    from: basename(factsFile),
    facts,
    sdl,
    direct: (url) =>
      `deploy a copy of ${basename(file)} under another key with baseURL: ${url} and without authHealthCheck; Busbar runs with BUSBAR_EGRESS_ALLOW=127.0.0.1`,
  };
}

/** Loaded on demand: few vendors speak GraphQL. */
async function simulateGraphql(sdl: string): Promise<GraphqlSide> {
  const { openGraphqlSide } = await import("../../simulations/vendor/graphql/graphql-side.ts");
  return openGraphqlSide(sdl);
}
