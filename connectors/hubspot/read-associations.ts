/** Reads the ids of records that are associated with the records of a page. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { buildBrokenPage, listOrBroken, requireObject } from "../../connector-kit/calls/page-check.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type { AssociatedRecord, ReadPlan, SourceRecord } from "../../connector-kit/read-connector.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import { classify } from "./classify.ts";
import { isNothingFound, readResults } from "./read-records.ts";
import { findObjectFault } from "./request.ts";

/** HubSpot documents 1,000 sources for one request, and speaks of 100 elsewhere. */
const MAX_SOURCES = 100;

/** Requests for the associations of one page; HubSpot gives some hundred of each source at a time. */
const MAX_REQUESTS = 1_000;

interface Source extends JsonObject {
  id: string;
}

/** Sets `associations` of the records. One request for each object name and 100 records, more for long lists. */
export async function addAssociations(
  plan: Pick<ReadPlan, "objectName" | "associations" | "account">,
  records: SourceRecord[],
  fetch: ProviderFetch,
): Promise<void> {
  if (records.length === 0) return;
  for (const name of plan.associations) {
    const fault = findObjectFault(name);
    if (fault) throw fault;
    const found = await readTargets(
      plan,
      name,
      records.map(({ id }) => ({ id })),
      fetch,
    );
    for (const record of records) {
      const targets = found.get(record.id);
      if (targets) (record.associations ??= {})[name] = targets;
    }
  }
}

async function readTargets(
  { objectName, account }: Pick<ReadPlan, "objectName" | "account">,
  name: string,
  sources: Source[],
  fetch: ProviderFetch,
): Promise<Map<string, AssociatedRecord[]>> {
  const found = new Map<string, AssociatedRecord[]>();
  const cursors = new Map<string, string>();
  for (let requests = 1; sources.length > 0; requests++) {
    if (requests > MAX_REQUESTS) throw buildBrokenPage(`HubSpot's associations with ${name} do not end`);
    const inputs = sources.splice(0, MAX_SOURCES);
    const answer = await send(
      buildAssociationPage(objectName, name, inputs),
      keepExactIds(fetch),
      (response) => (isNothingFound(response) ? undefined : classify(response, account)),
    );
    if (answer.error) throw answer.error;
    for (const { from, targets, after } of readAnswer(answer.body)) {
      found.set(from, [...(found.get(from) ?? []), ...targets]);
      if (after === undefined) continue;
      if (cursors.get(from) === after)
        throw buildBrokenPage(`HubSpot's associations of record ${from} repeat a page`);
      cursors.set(from, after);
      sources.push({ id: from, after });
    }
  }
  return found;
}

const buildAssociationPage = (from: string, to: string, inputs: Source[]): ProviderRequest => ({
  method: "POST",
  path: `/crm/associations/2026-03/${from}/${to}/batch/read`,
  body: { inputs },
  repeatable: true,
});

interface Targets {
  from: string;
  targets: AssociatedRecord[];
  after?: string;
}

/** Records without associations, and records deleted meanwhile, are listed as errors: as not found. */
const readAnswer = (body: Json | undefined): Targets[] =>
  readResults(body).map((result) => {
    const { from, to, paging } = requireObject(result, "an association");
    const id = getTextAt(from ?? null, "id");
    if (id === undefined) throw buildBrokenPage("HubSpot's answer is broken: an association has no source");
    return {
      from: id,
      targets: listOrBroken(to, "`to`").map(toTarget),
      after: getTextAt(paging ?? null, "next.after"),
    };
  });

function toTarget(target: Json): AssociatedRecord {
  const id = getTextAt(target, "toObjectId");
  if (id === undefined) throw buildBrokenPage("HubSpot's answer is broken: an association has no target");
  const types = isJsonObject(target) && Array.isArray(target.associationTypes) ? target.associationTypes : [];
  return { id, metadata: { associationTypes: types.filter(isJsonObject).map(withoutNull) } };
}

const withoutNull = (type: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(type).filter(([, value]) => value !== null));

/** Keeps ids exact that come as numbers too large for JavaScript: they become texts before they are parsed. */
const keepExactIds =
  (fetch: ProviderFetch): ProviderFetch =>
  async (request) => {
    const response = await fetch(request);
    return { ...response, text: response.text.replaceAll(/("toObjectId"\s*:\s*)(\d{16,})/g, '$1"$2"') };
  };
