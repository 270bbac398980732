/** Calls the operations of installations. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["integrations", "oauth"],
  async run({ call, facts }) {
    const crm = { integrationId: "crm" };
    const objects = { contacts: { selectedFields: { phone: true }, selectedFieldMappings: {} } };
    const content = { provider: "hubspot", read: { objects }, proxy: { enabled: true } };
    const body = { groupRef: "acme", connectionId: facts.connectionId, config: { content } };
    const { id: installationId, config } = await call("createInstallation", { path: crm, body });
    const path = { ...crm, installationId };
    facts.installationId = installationId;
    facts.revisionId = config.revisionId;
    await call("listInstallations", { path: crm, query: { groupRef: "acme" } });
    await call("listProjectInstallations", { query: { integration: "crm", healthStatus: "healthy" } });
    const proxy = { config: { content: { proxy: { enabled: true } } } };
    const update = { updateMask: ["config.content.proxy.enabled"], installation: proxy };
    await call("updateInstallation", { path, body: update });
    const changes = [{ op: "add", path: "/selectedFields/phone", value: true }];
    await call("patchObjectConfigContent", {
      path: { ...crm, objectName: "contacts" },
      body: { groupRef: "acme", action: "read", changes },
    });
  },
  async end({ call, facts }) {
    await call("deleteInstallation", {
      path: { integrationId: "crm", installationId: facts.installationId },
    });
  },
};
