/** Calls the operations of object metadata and custom fields. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["installations"],
  async run({ call }) {
    const where = { objectName: "contacts" };
    const query = { groupRef: "acme" };
    await call("getObjectMetadataForConnection", { path: { ...where, provider: "hubspot" }, query });
    await call("getObjectMetadataForInstallation", { path: { ...where, integrationId: "crm" }, query });
    const stringOptions = { values: ["basic", "plus"], valuesRestricted: true };
    const plan = { fieldName: "plan", displayName: "Plan", valueType: "singleSelect", stringOptions };
    const body = { groupRef: "acme", fields: { contacts: [plan] } };
    await call("upsertMetadataForConnection", { path: { provider: "hubspot" }, body });
    await call("upsertMetadataForInstallation", { path: { integrationId: "crm" }, body });
  },
};
