/** Calls the operations of provider apps. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call }) {
    const app = { provider: "hubspot", clientId: "client", clientSecret: "secret", scopes: ["oauth"] };
    const { id: providerAppId } = await call("createProviderApp", { body: app });
    await call("getProviderApp", { path: { providerAppId } });
    const providerApp = { scopes: ["oauth", "crm.objects.contacts.write"] };
    await call("updateProviderApp", {
      path: { providerAppId },
      body: { updateMask: ["scopes"], providerApp },
    });
    const other = { provider: "salesforce", clientId: "client", clientSecret: "secret", scopes: ["api"] };
    const spare = await call("createProviderApp", { body: other });
    await call("deleteProviderApp", { path: { providerAppId: spare.id } });
  },
};
