/** Calls the operation that delivers held messages. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["installations"],
  async run({ call }) {
    const path = { integrationId: "crm", objectName: "companies" };
    await call("deliverResults", { path, body: { groupRef: "acme", pages: 1 } });
  },
};
