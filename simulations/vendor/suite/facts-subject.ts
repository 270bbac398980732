/** Combines a connector with the facts about its vendor, for the suite that compares them. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listConnectionValues } from "../../../connector-kit/provider/connection-values.ts";
import { completeRequests } from "../../../connector-kit/facts/complete-requests.ts";
import { completeProvider } from "../../../connector-kit/provider/define-provider.ts";
import type { Connector } from "../../../connector-kit/connector.ts";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import type { Facts } from "../../../connector-kit/facts/facts.ts";
import { buildPlans } from "../../../connector-kit/declarative/object-plan.ts";
import type { Description } from "../../../connector-kit/declarative/rules/description.ts";
import type { PromisedMode, Subject } from "./bench.ts";
import { CONNECTORS } from "../../../connectors/connectors.gen.ts";
import { DESCRIPTIONS } from "../../../connectors/descriptions.gen.ts";
import { PROJECT_ROOT } from "../../../ground/project-root.ts";
import { PROVIDER_TABLE } from "../../../connectors/provider-table.ts";

const FOLDER = join(PROJECT_ROOT, "connectors");

/** Lists the providers that have facts. */
export const listProvidersWithFacts = (): string[] =>
  globSync("*/facts.json", { cwd: FOLDER })
    .map((file) => file.split("/")[0] ?? "")
    .toSorted();

/** Reads the facts about a provider; undefined if there are none. */
export function readFacts(provider: string): Facts | undefined {
  const file = join(FOLDER, provider, "facts.json");
  return existsSync(file) ? completeRequests(JSON.parse(readFileSync(file, "utf8")) as Facts) : undefined;
}

/** Reads the excerpt of a GraphQL vendor's schema; undefined for other vendors. */
export function readSchema({ provider, graphql }: Facts): string | undefined {
  return graphql && readFileSync(join(FOLDER, provider, "facts.graphql"), "utf8");
}

/** Builds the suite's subject. `connector` replaces that of the provider. */
export function buildSubject(
  provider: string,
  facts: Facts,
  connector: Connector | undefined = CONNECTORS[provider],
  description: Description | undefined = DESCRIPTIONS[provider],
  info: ProviderInfo | undefined = completeKnown(provider),
): Subject {
  if (!info || !connector) throw new Error(`there is no connector ${provider}`);
  const values = Object.fromEntries([...listConnectionValues(info)].map((name) => [name, `own ${name}`]));
  const headers = Object.fromEntries(
    (info.fixedHeaders ?? []).map(({ name, valueTemplate }) => [
      name,
      valueTemplate.replace(/\{\{\.(\w+)\}\}/g, "own $1"),
    ]),
  );
  return {
    provider,
    connector,
    facts,
    account: { values },
    promised: listPromises(facts, description),
    headers,
  };
}

function completeKnown(provider: string): ProviderInfo | undefined {
  const info = PROVIDER_TABLE[provider];
  return info && completeProvider(provider, info);
}

/** Returns the promises of a connector; for a connector in code, those that facts cover. */
const listPromises = (facts: Facts, description: Description | undefined): Record<string, PromisedMode[]> =>
  description
    ? Object.fromEntries(buildPlans(description).map(({ name, modes }) => [name, modes]))
    : Object.fromEntries(Object.entries(facts.objects).map(([name, object]) => [name, listModes(object)]));

const listModes = (object: Facts["objects"][string]): PromisedMode[] => [
  ...(object.list ? (["read"] as const) : []),
  ...(["create", "update", "delete", "upsert"] as const).filter(
    (mode) => object[mode] && !object[mode].absent,
  ),
];
