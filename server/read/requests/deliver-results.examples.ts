/** Calls the operation that delivers held messages. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["installations"],
  async run({ call }) {
    const path = { integrationId: "crm", objectName: "companies" };
    await call("deliverResults", { path, body: { groupRef: "acme", pages: 1 } });
  },
};
