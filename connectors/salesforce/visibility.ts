/** Makes fields visible to the connected user: new ones are hidden from everybody, administrators included. */
import { isJsonObject } from "../../ground/json.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { classify } from "./classify.ts";
import { toError } from "./fault.ts";
import { DATA } from "./request.ts";
import { readComponentFaults, readComponents, upsertComponents } from "./soap.ts";
import { listChildElements, getChildText, buildElement, type Element } from "./xml.ts";

const NAME = "IntegrationCustomFieldVisibility";

/**
 * Adds the fields (`Account.Score__c`) to the permission set that Busbar keeps in the customer's organisation, removes
 * `required` ones, and assigns the set to the connected user. Other permissions in the set are kept. Idempotent. Throws
 * `ProviderError`.
 */
export async function makeVisible(
  fields: { shown: string[]; required: string[] },
  fetch: ProviderFetch,
): Promise<void> {
  const component = await readComponents("PermissionSet", [NAME], fetch);
  if (component.error) throw component.error;
  const set = withPermissions(component.results[0], fields);
  if (set) {
    const written = await upsertComponents("PermissionSet", [set], fetch);
    if (written.error) throw written.error;
    const [result] = written.results;
    if (!result || getChildText(result, "success") !== "true")
      throw toError(result ? readComponentFaults(result) : [], { otherwise: "invalid" });
  }
  await assign(fetch);
}

/** Returns the set with the changes; undefined if nothing changes. */
function withPermissions(
  existing: Element | undefined,
  { shown, required }: { shown: string[]; required: string[] },
): Element | undefined {
  const present = listChildElements(existing, "fieldPermissions");
  const nameField = (permission: Element) => (getChildText(permission, "field") ?? "").toLowerCase();
  const isWhole = (permission: Element) =>
    getChildText(permission, "readable") === "true" && getChildText(permission, "editable") === "true";
  const whole = new Set(present.filter(isWhole).map(nameField));
  const missing = shown.filter((field) => !whole.has(field.toLowerCase()));
  const superseded = new Set([...missing, ...required].map((field) => field.toLowerCase()));
  const kept = present.filter((permission) => !superseded.has(nameField(permission)));
  if (missing.length === 0 && kept.length === present.length) return undefined;
  const others = existing?.children.filter(({ name }) => name !== "fieldPermissions") ?? [
    buildElement("fullName", NAME),
    buildElement("label", "Custom Field Visibility for Integration"),
  ];
  return buildElement("metadata", [...others, ...kept, ...missing.map(buildPermission)]);
}

const buildPermission = (field: string): Element =>
  buildElement("fieldPermissions", [
    buildElement("editable", "true"),
    buildElement("field", field),
    buildElement("readable", "true"),
  ]);

async function assign(fetch: ProviderFetch): Promise<void> {
  const query = encodeURIComponent(`SELECT Id FROM PermissionSet WHERE Name = '${NAME}'`);
  const set = await read(`${DATA}/query?q=${query}`, fetch);
  const records = isJsonObject(set) && Array.isArray(set.records) ? set.records : [];
  const user = await read("/services/oauth2/userinfo", fetch);
  const [record] = records.filter(isJsonObject);
  const AssigneeId = isJsonObject(user) ? user.user_id : undefined;
  if (typeof record?.Id !== "string" || typeof AssigneeId !== "string") {
    const message = `Salesforce names neither the permission set ${NAME} nor the connected user`;
    throw new ProviderError({ kind: "unreadable", message });
  }
  const request: ProviderRequest = {
    method: "POST",
    path: `${DATA}/sobjects/PermissionSetAssignment`,
    body: { AssigneeId, PermissionSetId: record.Id },
    // A second assignment is refused as a duplicate, which is fine.
    repeatable: true,
  };
  const answer = await send(request, fetch, classify);
  if (answer.error && answer.error.code !== "DUPLICATE_VALUE") throw answer.error;
}

async function read(path: string, fetch: ProviderFetch) {
  const answer = await send({ method: "GET", path, repeatable: true }, fetch, classify);
  if (answer.error) throw answer.error;
  return answer.body;
}
