/** POST /search/…: finds records of a customer's account by the values of their fields, while the caller waits. */
import type { CustomerShards } from "../../operations/customer-shards.ts";
import { Type, type Static } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { ObjectMetadata } from "../../../connector-kit/fields.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { FieldFilter } from "../../../connector-kit/read-connector.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import { suggestName } from "../../../ground/closest.ts";
import { leadsIntoList } from "../../../ground/field-path.ts";
import { elapsedMs, nowMs } from "../../../ground/clock.ts";
import { seesEveryGroup } from "../../access/actor.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { callProvider, type CallServices } from "../../operations/call-provider.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import { ignoreDatabaseOutage } from "../../store/database/database-outage.ts";
import { storeUsage } from "../../store/shards/store-usage.ts";
import {
  findReadableObject,
  type ObjectServices,
  type ReadableObject,
} from "../definition/installed-object.ts";
import { planObject } from "../run/plan-object.ts";
import { findRepeatedFilter, searchFilters, type NamedFilter } from "../definition/provider-filters.ts";
import { locateFields } from "../definition/read-set.ts";
import { READ_REFUSALS, readProblem } from "../definition/read-problem.ts";
import { shapeRecords } from "../records/shape-record.ts";

export type SearchServices = CallServices & ObjectServices & { catalog: Catalog; metadata: MetadataMemory };

const FoundRecord = Type.Object(
  {
    id: Type.String({ description: "The provider's id." }),
    fields: Type.Record(Type.String(), Type.Unknown(), {
      description: "Selected fields, by the provider's names in lower case.",
    }),
    mappedFields: Type.Record(Type.String(), Type.Unknown(), {
      description: "Mapped fields, by your names.",
    }),
    associations: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Associated records, if they are configured.",
      }),
    ),
    raw: Type.Record(Type.String(), Type.Unknown(), {
      description: "The record as the provider returned it.",
    }),
  },
  { title: "FoundRecord", description: "A record found by a search." },
);

/** More characters than any provider's field holds that can be compared. */
const LONGEST_VALUE = 10_000;
const MAX_FILTERS = 100;

const SearchRequest = Type.Object({
  objectName: Type.String({ minLength: 1, description: "Name of the object, mapped or the provider's." }),
  fieldFilters: Type.Array(
    Type.Object({
      fieldName: Type.String({
        minLength: 1,
        description: "Name of the field, mapped or the provider's. A mapped name comes first.",
      }),
      operator: Type.Literal("eq", { description: "How to compare." }),
      value: Type.Union([Type.String({ maxLength: LONGEST_VALUE }), Type.Number(), Type.Boolean()], {
        description: "Value to compare with. Of a field with mapped values: the mapped one.",
      }),
    }),
    { maxItems: MAX_FILTERS, description: "All must match; none: the first page of all records." },
  ),
});

const SearchAnswer = Type.Object({
  results: Type.Array(FoundRecord, { description: "The records." }),
  result: Type.Array(FoundRecord, { description: "The same. For clients that read it here." }),
  truncated: Type.Optional(
    Type.Literal(true, {
      description: "The provider has more records that match. Add filters to find them.",
    }),
  ),
});

export const searchRecords = ({ shards }: { shards: CustomerShards<SearchServices> }) =>
  projectEndpoint({
    operationId: "searchRecords",
    tag: "Search",
    summary: "Search records",
    description:
      "Asks the provider for records whose fields equal the given values, and waits for the answer: one page, as large as " +
      "the provider allows. Records look as in messages of reads; an object that the customer's configuration does not " +
      "have comes with its required fields. Filters of the object's configuration do not apply. The provider compares: " +
      "most ignore case, and some find a changed record only after some seconds. No operation is made; the call is in " +
      "the usage log of the installation.",
    params: Type.Object({
      integrationId: Type.String({ description: "Id or name of the integration." }),
    }),
    query: Type.Object({
      groupRef: Type.String({ minLength: 1, description: "Your own id for the customer." }),
    }),
    body: SearchRequest,
    success: { status: 200, description: "One page of records.", schema: SearchAnswer },
    refusals: {
      ...READ_REFUSALS,
      400: "The request does not match this description, the object cannot be searched, or the provider finds a fault in the request (see `causes`).",
    },
    async handle({ caller, project, params, query, body }) {
      const deps = await shards.chooseByGroup(project.id, query.groupRef);
      const object = await findReadableObject(deps, {
        projectId: project.id,
        integration: params.integrationId,
        groupRef: query.groupRef,
        objectName: body.objectName,
        in: "body",
        seesGroups: seesEveryGroup(caller),
      });
      const path = `/search/v1/projects/${project.name}/integrations/${params.integrationId}`;
      return searchObject(deps, object, { filters: body.fieldFilters, path, sent: body });
    },
  });

type FoundRecords = Static<typeof SearchAnswer>;

/** Requests records from the provider, and stores a line of the usage log under `path`. Throws a Problem. */
export async function searchObject(
  deps: SearchServices,
  object: ReadableObject,
  { filters, path, sent }: { filters: readonly NamedFilter[]; path: string; sent: object },
): Promise<FoundRecords> {
  requireSearch(deps.catalog.of(object.installed.installation.projectId), object, filters);
  return logUse(deps, object, { path, sent }, () => search(deps, object, filters));
}

/** Throws a 400 Problem where the provider has no search, or not with so many filters. */
function requireSearch(
  catalog: Catalog,
  { installed, definition, connector }: ReadableObject,
  filters: readonly NamedFilter[],
): void {
  const { provider, latestRevision } = installed.integration;
  const { abilities } = connector.read;
  if (!catalog.built(provider, "search", latestRevision.content.module)) {
    throw new Problem("unsupported-by-provider", {
      detail: `Busbar cannot search ${provider}. Call its API through the proxy instead.`,
    });
  }
  const inLists = filters.flatMap(({ fieldName }, index): Issue[] => {
    const field = definition.mappings.get(fieldName) ?? fieldName;
    if (!leadsIntoList(field)) return [];
    const detail = `"${field}" is the entry of a list, by which records cannot be searched.`;
    const name = `fieldFilters[${index}].fieldName`;
    return [{ in: "body", name, detail, value: fieldName, remedy: "Search by another field." }];
  });
  if (inLists.length > 0) throw refuseIssues(inLists);
  if (filters.length <= abilities.maxSearchFilters) return;
  const detail = `${provider} takes at most ${abilities.maxSearchFilters} filters.`;
  throw refuseIssues([{ in: "body", name: "fieldFilters", detail, remedy: "Leave some out." }]);
}

async function search(
  deps: SearchServices,
  { installed, definition, connector }: ReadableObject,
  filters: readonly NamedFilter[],
): Promise<FoundRecords> {
  const { projectId, connectionId } = installed.installation;
  const found = await callProvider(deps, { projectId, connectionId }, async (call) => {
    const buildFilters = (metadata: ObjectMetadata | undefined): FieldFilter[] => {
      const named = searchFilters(filters, definition, metadata, connector.read);
      requireFields(named, filters, metadata, { definition, connector });
      return named;
    };
    const wanted = { definition, connector, filterCount: filters.length, filtersFor: buildFilters };
    const { plan, set } = await planObject(deps.metadata, wanted, call);
    return { set, ...(await connector.read.search(plan, call.fetch)) };
  }).catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error;
    throw filterProblem(error, { filters, definition, connector }) ?? readProblem(error, connectionId);
  });
  const shaper = shapeRecords(found.set, connector.read);
  const results = found.records.map((record) => shaper.shape(record));
  return { results, result: results, ...(found.truncated && { truncated: true }) };
}

/** Returns a 400 Problem with the place of the filter that the connector refused before it sent a request. */
function filterProblem(
  { kind, status, code, message }: ProviderError,
  {
    filters,
    definition,
    connector: { read },
  }: Pick<ReadableObject, "definition" | "connector"> & { filters: readonly NamedFilter[] },
): Problem | undefined {
  if (kind !== "invalid" || status !== undefined || code === undefined) return undefined;
  const native = searchFilters(filters, definition, undefined, read);
  const index = native.findIndex(({ fieldName }) => read.fieldKey(fieldName) === read.fieldKey(code));
  if (index < 0) return undefined;
  const remedy = "Search by another value, or by another field.";
  return refuseIssues([
    {
      in: "body",
      name: `fieldFilters[${index}]`,
      detail: `${message}.`,
      value: filters[index]?.value,
      remedy,
    },
  ]);
}

/** Throws a 400 Problem with the place of a field that the object lacks, or that comes twice. */
function requireFields(
  named: readonly FieldFilter[],
  asked: readonly NamedFilter[],
  metadata: ObjectMetadata | undefined,
  { definition, connector }: Pick<ReadableObject, "definition" | "connector">,
): void {
  const locate = locateFields(metadata, connector.read);
  const issueAt = (index: number, detail: string, remedy: string): Issue => ({
    in: "body",
    name: `fieldFilters[${index}].fieldName`,
    detail,
    value: asked[index]?.fieldName,
    remedy,
  });
  const unknown = named.flatMap(({ fieldName }, index) => {
    if (locate(fieldName).isKnown) return [];
    const detail = `The customer's account has no field \`${fieldName}\`.`;
    const known = [...definition.mappings.keys(), ...Object.keys(metadata?.fields ?? {})];
    return [issueAt(index, detail, suggestName(fieldName, known, "Use a field of the object."))];
  });
  if (unknown.length > 0) throw refuseIssues(unknown);
  const repeated = findRepeatedFilter(named, connector.read);
  if (repeated === undefined) return;
  throw refuseIssues([
    issueAt(repeated, "Another filter is about the same field.", "Filter a field only once."),
  ]);
}

export const refuseIssues = (issues: Issue[]): Problem =>
  new Problem("invalid-request", {
    detail: issues.map(({ name, detail, remedy }) => `${name}: ${detail} ${remedy}`).join(" "),
    issues,
  });

/** Stores a line of the usage log with the answer's status. An outage of the database does not fail the search. */
export async function logUse<Answer extends { results: unknown[] }>(
  { database }: Pick<SearchServices, "database">,
  { installed }: Pick<ReadableObject, "installed">,
  { path, sent }: { path: string; sent: object },
  run: () => Promise<Answer>,
): Promise<Answer> {
  const { projectId, id: installationId } = installed.installation;
  const startedMs = elapsedMs();
  const use = {
    timeMs: nowMs(),
    projectId,
    installationId,
    method: "POST",
    path,
    bytesUp: Buffer.byteLength(JSON.stringify(sent)),
  };
  const store = (status: number, bytesDown: number) =>
    ignoreDatabaseOutage(() =>
      storeUsage(database, [{ ...use, status, bytesDown, durationMs: Math.round(elapsedMs() - startedMs) }]),
    );
  try {
    const answer = await run();
    await store(200, Buffer.byteLength(JSON.stringify(answer.results)));
    return answer;
  } catch (error) {
    await store(error instanceof Problem ? error.status : 500, 0);
    throw error;
  }
}
