/** Builds the requests that read HubSpot's CRM records. */
import type { Json, JsonObject } from "../../ground/json.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type { FieldFilter, ReadPlan } from "../../connector-kit/read-connector.ts";
import { buildRefusedField } from "../../connector-kit/calls/build-refused-field.ts";
import { changeProperty } from "./read-object.ts";
import { OBJECTS } from "./request.ts";

export const LIST_LIMIT = 100;
export const SEARCH_LIMIT = 200;

/** A search takes six filters. Time and key of a scan need two of them. */
export const MAX_SEARCH_FILTERS = 6;
export const MAX_SCAN_FILTERS = 4;

/**
 * Longest list of properties in an address, in bytes. HubSpot refuses addresses of about 16,000 characters, and some
 * accounts had trouble at 8,000.
 */
const LONGEST_LIST = 7_000;

const TOP_LEVEL = new Set(["id", "createdat", "updatedat", "archived", "archivedat", "url"]);

/** Whether records have a member of this name beside their properties. */
export const isTopLevel = (name: string): boolean => TOP_LEVEL.has(name.toLowerCase());

/** Which properties are requested: all of these, or HubSpot's default ones if there are none. */
export function chooseProperties(
  plan: Pick<ReadPlan, "objectName" | "fields">,
  compared: FieldFilter[],
): string[] {
  const names = new Set<string>();
  for (const field of [...plan.fields, ...compared.map(({ fieldName }) => fieldName)]) {
    if (!/^[\w.-]+$/.test(field))
      throw buildRefusedField(field, `"${field}" is not the name of a HubSpot property`);
    if (!isTopLevel(field)) names.add(field.toLowerCase());
  }
  if (names.size > 0) names.add(changeProperty(plan.objectName));
  return [...names];
}

/** Whether an address with these properties would be too long. */
export const isTooLong = (properties: string[]): boolean => encodeList(properties).length > LONGEST_LIST;

interface ListPage {
  objectName: string;
  properties: string[];
  limit: number;
  /** The cursor of the page before. */
  after?: string;
  archived?: boolean;
}

export function listPage({ objectName, properties, limit, after, archived }: ListPage): ProviderRequest {
  const query = [
    `limit=${limit}`,
    ...(properties.length > 0 ? [`properties=${encodeList(properties)}`] : []),
    ...(archived ? ["archived=true"] : []),
    ...(after === undefined ? [] : [`after=${encodeURIComponent(after)}`]),
  ];
  return { method: "GET", path: `${OBJECTS}/${objectName}?${query.join("&")}`, repeatable: true };
}

interface SearchPage {
  plan: Pick<ReadPlan, "objectName" | "since" | "until">;
  filters: FieldFilter[];
  /** Only records that have a value of this property. */
  having?: string;
  properties: string[];
  limit: number;
  /** Only records with a greater id. */
  afterId?: string;
  /** The cursor of an empty page before, of the same query. */
  after?: string;
}

/** Searches in the order of ids. The next page is a new query behind the last id: HubSpot stops at 10,000 results. */
export function searchPage({
  plan,
  filters,
  having,
  properties,
  limit,
  afterId,
  after,
}: SearchPage): ProviderRequest {
  const all: JsonObject[] = [
    ...buildTimeFilter(plan),
    ...(afterId === undefined ? [] : [{ propertyName: "hs_object_id", operator: "GT", value: afterId }]),
    ...(having === undefined ? [] : [{ propertyName: having, operator: "HAS_PROPERTY" }]),
    ...filters.map(({ fieldName, value }) => ({
      propertyName: fieldName.toLowerCase(),
      operator: "EQ",
      value: String(value),
    })),
  ];
  const body: Json = {
    ...(all.length > 0 && { filterGroups: [{ filters: all }] }),
    sorts: [{ propertyName: "hs_object_id", direction: "ASCENDING" }],
    ...(properties.length > 0 && { properties }),
    limit,
    ...(after !== undefined && { after }),
  };
  return { method: "POST", path: `${OBJECTS}/${plan.objectName}/search`, body, repeatable: true };
}

/**
 * Both bounds are inclusive, in milliseconds since the epoch. A bound at the epoch is answered with 500 by some of HubSpot's addresses
 * (estuary/connectors, source-hubspot-native, 2026-09), and leaves nothing out.
 */
function buildTimeFilter({ objectName, since, until }: SearchPage["plan"]): JsonObject[] {
  const propertyName = changeProperty(objectName);
  const text = (time: Date) => String(time.getTime());
  const from = since && since.getTime() > 0 ? since : undefined;
  if (from && until)
    return [{ propertyName, operator: "BETWEEN", value: text(from), highValue: text(until) }];
  if (from) return [{ propertyName, operator: "GTE", value: text(from) }];
  return until ? [{ propertyName, operator: "LTE", value: text(until) }] : [];
}

const encodeList = (names: string[]): string => names.map((name) => encodeURIComponent(name)).join(",");
