/** Reads one record of each object that is read by schedule, to find out whether the account has it and allows it. */
import type { Connector } from "../../../connector-kit/connector.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { ReadConnector } from "../../../connector-kit/read-connector.ts";
import type { Issue } from "../../../ground/errors.ts";
import { formatName } from "../../../manifest/config-issue.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { callProvider } from "../../operations/call-provider.ts";
import { planObject } from "../../read/run/plan-object.ts";
import { resolveFilters } from "../../read/definition/provider-filters.ts";
import { readDefinitions, type ReadDefinition } from "../../read/definition/read-definition.ts";
import type { Integration } from "../integration.ts";
import type { AccountServices, ConfigChange } from "./account-fields.ts";
import { placeOfObject } from "./config-mask.ts";

/** Concurrent samples; more would soon reach the provider's rate limits. */
const AT_ONCE = 4;

/**
 * Returns an issue for each object that the account does not have, or whose records the provider refuses to read as configured. Reads
 * objects that are new, newly scheduled, or of which other fields or records are selected than in `before`. An account that cannot be asked now,
 * or that refuses the credentials, has no fault in the configuration.
 */
export async function findUnreadableObjects(
  deps: AccountServices,
  integration: Integration,
  { connectionId, before, after }: ConfigChange,
): Promise<Issue[]> {
  const connector = deps.catalog.of(integration.projectId).connector(integration.provider);
  const { module } = integration.latestRevision.content;
  if (!connector?.read || (module && connector.read.module && module !== connector.read.module)) return [];
  const reader = { ...connector, read: connector.read };
  const known = new Set(before && listScheduled(integration, before).map(buildSelection));
  const waiting = listScheduled(integration, after)
    .filter((definition) => !known.has(buildSelection(definition)))
    .values();
  const issues: Issue[] = [];
  const work = async (): Promise<void> => {
    for (const definition of waiting) {
      const { projectId } = integration;
      const refused = await findRefusal(deps, { projectId, connectionId }, reader, definition);
      if (refused) issues.push(toIssue(refused, integration, after, definition));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return issues;
}

const listScheduled = (integration: Integration, config: ConfigContent): ReadDefinition[] =>
  readDefinitions({ revisions: [integration.latestRevision.content], config }).filter(
    ({ disabled, schedule }) => !disabled && schedule !== undefined,
  );

/** Differs when other fields or records are asked for. */
const buildSelection = (definition: ReadDefinition): string => {
  const { objectName, fields, mappings, filters, associatedObjects } = definition;
  return JSON.stringify([objectName, fields, [...mappings], filters, associatedObjects]);
};

/** Returns the provider's refusal of the request; undefined if it answers, or if the reason is another one. */
async function findRefusal(
  deps: AccountServices,
  connection: { projectId: string; connectionId: string },
  connector: Connector & { read: ReadConnector },
  definition: ReadDefinition,
): Promise<ProviderError | undefined> {
  const { filters } = definition;
  try {
    await callProvider(deps, connection, async (call) => {
      const { plan } = await planObject(
        deps.metadata,
        {
          definition,
          connector,
          filterCount: filters.length,
          filtersFor: (metadata) => resolveFilters(filters, definition, metadata, connector.read),
        },
        call,
      );
      return connector.read.readSample(plan, call.fetch);
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return error.kind === "invalid" || error.kind === "not_found" ? error : undefined;
  }
}

const toIssue = (
  { message, kind }: ProviderError,
  { provider }: Integration,
  after: ConfigContent,
  { objectName, messageName }: ReadDefinition,
): Issue => ({
  in: "body",
  name: formatName(placeOfObject(after, objectName)),
  detail: `${provider} refuses to read a record of \`${messageName}\` with these fields and filters: ${message
    .trim()
    .replaceAll(/\s+/g, " ")
    .replace(/[^.?!]$/, "$&.")}`,
  remedy:
    kind === "not_found"
      ? "Correct the object's name in the manifest, create the object in the account or let the customer's user see it, or save with `skipSampling=true`."
      : "Choose other fields or filters, change the permissions in the account, or save with `skipSampling=true`.",
});
