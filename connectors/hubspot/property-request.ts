/** Builds the requests that read and write the definitions of HubSpot properties. */
import type { JsonObject } from "../../ground/json.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { CRM_VERSION } from "./request.ts";

const PROPERTIES = `/crm/properties/${CRM_VERSION}`;
const SCHEMAS = `/crm-object-schemas/${CRM_VERSION}/schemas`;

/** Definitions of one request. */
export const PROPERTY_BATCH_LIMIT = 100;

/** The group of properties that Busbar creates. */
export const GROUP = "integrationcreatedproperties";

const get = (path: string): ProviderRequest => ({ method: "GET", path, repeatable: true });

export const listProperties = (objectName: string) => get(`${PROPERTIES}/${objectName}`);

/** Without its level in the query, a property with sensitive data is not listed (HubSpot-public-api-spec-collection, 2026-08-21). */
export const listSensitive = (objectName: string, level: string) =>
  get(`${PROPERTIES}/${objectName}?dataSensitivity=${level}`);
export const getProperty = (objectName: string, name: string) => get(`${PROPERTIES}/${objectName}/${name}`);
export const getGroup = (objectName: string) => get(`${PROPERTIES}/${objectName}/groups/${GROUP}`);
export const LIST_SCHEMAS = get(SCHEMAS);
export const getSchema = (objectName: string) => get(`${SCHEMAS}/${objectName}`);
export const listPipelines = (objectName: string) => get(`/crm/pipelines/${CRM_VERSION}/${objectName}`);

/** All are repeatable: HubSpot refuses a name that is taken, and names that as the reason. */
export const createGroup = (objectName: string): ProviderRequest => ({
  method: "POST",
  path: `${PROPERTIES}/${objectName}/groups`,
  body: { name: GROUP, label: "Integration Created Properties" },
  repeatable: true,
});

export const createProperty = (objectName: string, definition: JsonObject): ProviderRequest => ({
  method: "POST",
  path: `${PROPERTIES}/${objectName}`,
  body: definition,
  repeatable: true,
});

export const createProperties = (objectName: string, definitions: JsonObject[]): ProviderRequest => ({
  method: "POST",
  path: `${PROPERTIES}/${objectName}/batch/create`,
  body: { inputs: definitions },
  repeatable: true,
});

/** There is no batch form. Members that are left out are kept; options are replaced as a whole. */
export const patchProperty = (objectName: string, name: string, change: JsonObject): ProviderRequest => ({
  method: "PATCH",
  path: `${PROPERTIES}/${objectName}/${name}`,
  body: change,
  repeatable: true,
});
