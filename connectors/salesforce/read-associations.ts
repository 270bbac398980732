/** Takes associated records from Salesforce's answer to a query. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { buildBrokenPage } from "../../connector-kit/calls/page-check.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import type { AssociatedRecord, ReadPlan, SourceRecord } from "../../connector-kit/read-connector.ts";
import { planAssociations, type ChildAssociation } from "./association-plan.ts";
import { isLocatorGone, sendLocator } from "./query-request.ts";
import { readQueryPage, requireCounted } from "./query-page.ts";
import { recordId } from "./source-record.ts";

/** Requests for the children of one record; each brings up to 2,000. */
const MAX_REQUESTS = 1_000;

/**
 * Sets `associations` of the records. Lists of children that are longer than a page are read to their end now: the
 * request for the next page of records would end them.
 */
export async function addAssociations(
  plan: Pick<ReadPlan, "objectName" | "associations" | "metadata">,
  records: SourceRecord[],
  fetch: ProviderFetch,
): Promise<void> {
  if (plan.associations.length === 0) return;
  const { parents, children } = planAssociations(plan);
  for (const record of records) {
    for (const { name, fieldName } of parents) {
      const id = findMember(record.raw, fieldName);
      if (typeof id === "string") (record.associations ??= {})[name] = [{ id }];
    }
    for (const child of children) {
      const found = await readChildren(findMember(record.raw, child.relationshipName), child, fetch);
      if (found.length > 0) (record.associations ??= {})[child.name] = found;
    }
  }
}

async function readChildren(
  value: Json | undefined,
  child: ChildAssociation,
  fetch: ProviderFetch,
): Promise<AssociatedRecord[]> {
  // A record without children has null.
  if (value === undefined || value === null) return [];
  const found: AssociatedRecord[] = [];
  let page = readQueryPage(value);
  let read = 0;
  for (let requests = 1; ; requests++) {
    for (const raw of page.records) if (isJsonObject(raw)) found.push(...toAssociated(raw, child));
    read += page.records.length;
    requireCounted(page, read);
    if (page.locator === undefined) return found;
    if (requests > MAX_REQUESTS)
      throw buildBrokenPage(`Salesforce's list of ${child.relationshipName} does not end`);
    const { locator } = page;
    page = await readNextChildren(locator, child, fetch);
    if (page.locator === locator)
      throw buildBrokenPage(`Salesforce's list of ${child.relationshipName} repeats a page`);
  }
}

async function readNextChildren(locator: string, child: ChildAssociation, fetch: ProviderFetch) {
  const answer = await sendLocator(locator, fetch);
  if (!answer.error) return readQueryPage(answer.body);
  if (!isLocatorGone(answer)) throw answer.error;
  // The page is read again, which gives new locators.
  const message = `Salesforce dropped the list of ${child.relationshipName} while it was being read`;
  throw new ProviderError({ kind: "unavailable", message, cause: answer.error });
}

function toAssociated(raw: JsonObject, { idField }: ChildAssociation): AssociatedRecord[] {
  if (idField === "Id") return [{ id: recordId(raw), raw }];
  const id = raw[idField];
  return typeof id === "string" ? [{ id, raw }] : [];
}

/** Looks a name up without case: Salesforce answers in its own spelling. */
function findMember(raw: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(raw, name)) return raw[name];
  const lower = name.toLowerCase();
  return Object.entries(raw).find(([member]) => member.toLowerCase() === lower)?.[1];
}
