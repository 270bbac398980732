/** Answers a dry run of a read: the first request to the provider, and about how many records there are. */
import { Type, type Static } from "typebox";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { ReadPlan } from "../../../connector-kit/read-connector.ts";
import { now } from "../../../ground/clock.ts";
import { callProvider, type CallServices, type ProviderCall } from "../../operations/call-provider.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import type { ReadableObject } from "../definition/installed-object.ts";
import { planObject } from "../run/plan-object.ts";
import { resolveFilters } from "../definition/provider-filters.ts";
import { readProblem } from "../definition/read-problem.ts";
import type { RequestedSpan } from "../definition/read-span.ts";

export const ReadDryRunSchema = Type.Object(
  {
    dryRun: Type.Literal(true, { description: "Always true." }),
    requests: Type.Array(
      Type.Object({
        method: Type.String({ description: "HTTP method." }),
        path: Type.String({ description: "Path and query below the provider's base address." }),
        headers: Type.Optional(
          Type.Record(Type.String(), Type.String(), { description: "Headers, by name." }),
        ),
        body: Type.Optional(Type.Unknown({ description: "Request body." })),
      }),
      {
        description:
          "The first request for records, without credentials. Further pages follow from its answer.",
      },
    ),
    recordsEstimatedTotal: Type.Optional(
      Type.Integer({ description: "Number of records that match now, if the provider tells it." }),
    ),
    estimateError: Type.Optional(Type.String({ description: "Why there is no estimate." })),
  },
  { title: "ReadDryRun", description: "What a read would do." },
);

export type DryRunServices = CallServices & { metadata: MetadataMemory };

/** Sends at most two requests: one for the object's fields, one that counts records. Throws a Problem. */
export async function dryRunRead(
  deps: DryRunServices,
  object: ReadableObject,
  { sinceTime, untilTime }: RequestedSpan,
): Promise<Static<typeof ReadDryRunSchema>> {
  const { definition, connector, installed } = object;
  const { projectId, connectionId } = installed.installation;
  const { filters } = definition;
  return callProvider(deps, { projectId, connectionId }, async (call) => {
    const planned = await planObject(
      deps.metadata,
      {
        definition,
        connector,
        filterCount: filters.length,
        filtersFor: (metadata) => resolveFilters(filters, definition, metadata, connector.read),
      },
      call,
    );
    // A full history has no upper bound either, as in a run.
    const plan = sinceTime ? { ...planned.plan, since: sinceTime, until: untilTime ?? now() } : planned.plan;
    const { method, path, headers, body } = connector.read.preparePage(plan);
    return {
      dryRun: true as const,
      requests: [{ method, path, ...(headers && { headers }), ...(body !== undefined && { body }) }],
      ...(await estimateCount(object, plan, call)),
    };
  }).catch((error: unknown) => {
    throw error instanceof ProviderError ? readProblem(error, connectionId) : error;
  });
}

/** Counts the records; a provider's refusal becomes part of the answer, because the request is worth showing without it. */
async function estimateCount({ connector }: ReadableObject, plan: ReadPlan, { fetch }: ProviderCall) {
  try {
    return { recordsEstimatedTotal: await connector.read.count(plan, fetch) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { estimateError: error.message };
  }
}
