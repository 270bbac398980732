/** Calls the operations of integrations. */
import { MANIFEST } from "../../../tests/journeys/every-operation/examples-manifest.ts";
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["destinations"],
  async run({ call }) {
    await call("batchUpsertIntegrations", { body: { sourceYaml: MANIFEST } });
    await call("batchUpsertIntegrations", {
      title: "Dry run",
      query: { dryRun: "true" },
      body: { sourceYaml: MANIFEST },
    });
    await call("createRevision", { path: { integrationId: "crm" }, body: { sourceYaml: MANIFEST } });
    const content = { name: "tickets", provider: "hubspot", proxy: { enabled: true } };
    const latestRevision = { specVersion: "1.0.0", content };
    await call("createIntegration", { body: { name: "tickets", provider: "hubspot", latestRevision } });
    await call("listRevisions", { path: { integrationId: "crm" } });
    await call("deleteIntegration", { path: { integrationIdOrName: "tickets" } });
  },
};
