/** Calls the operations of connections. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["oauth", "customers"],
  async run({ call, facts, busbar }) {
    const { connectionId } = facts;
    await call("listConnections", { query: { groupRef: "acme" } });
    await call("listProjectConnections", { query: { groupRef: "acme", status: "working" } });
    await call("getConnection", { path: { connectionId }, query: { includeCreds: "true" } });
    const workspace = { updateMask: ["providerWorkspaceRef"], connection: { providerWorkspaceRef: "acme" } };
    await call("updateConnection", { path: { connectionId }, body: workspace });
    const { accessToken, refreshToken } = busbar.sandbox.hubspot.mintToken();
    const oauth2AuthorizationCode = {
      accessToken: { token: accessToken },
      refreshToken: { token: refreshToken },
    };
    const customer = { groupRef: "globex", consumerRef: "homer" };
    const body = { provider: "hubspot", ...customer, oauth2AuthorizationCode };
    const imported = await call("generateConnection", { body });
    await call("deleteConnection", { path: { connectionId: imported.id } });
  },
};
