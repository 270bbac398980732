/** Step: connect two accounts of a customer with OAuth tokens, as after the consent page. */
import { list, getMember, getText, type Step, type Tour } from "../step.ts";

export const connectCustomer: Step = {
  title: "Connect a customer's HubSpot and Salesforce",
  async run(deps) {
    deps.say(`The customer of this run is the group ${deps.groupRef}.`);
    await requireProviderApps(deps);
    for (const provider of ["hubspot", "salesforce"]) {
      const tokens = await deps.sandbox("POST", "/tokens", { body: { provider } });
      const { status, body } = await deps.api("POST", "/connections:generate", {
        body: {
          provider,
          groupRef: deps.groupRef,
          groupName: "Northwind Traders",
          consumerRef: `${deps.groupRef}-admin`,
          providerWorkspaceRef: "northwind",
          oauth2AuthorizationCode: {
            accessToken: {
              token: getText(tokens.body, "accessToken"),
              expiresAt: getText(tokens.body, "expiresAt"),
            },
            refreshToken: { token: getText(tokens.body, "refreshToken") },
          },
        },
        shows: ["id", "provider", "group.groupRef", "authScheme", "status"],
      });
      deps.check(`${provider} is connected; no token is in the answer`, status === 201 && !showsToken(body));
    }
  },
};

/** Creates the OAuth client that refreshes the tokens, unless an earlier run did. */
async function requireProviderApps(deps: Tour): Promise<void> {
  const { body } = await deps.api("GET", "/provider-apps", { shows: ["*.provider", "*.clientId"] });
  const known = list({ all: body }, "all").map((app) => getMember(app, "provider"));
  for (const provider of ["hubspot", "salesforce"].filter((name) => !known.includes(name))) {
    const app = { provider, clientId: `demo-${provider}`, clientSecret: "demo-secret", scopes: ["oauth"] };
    const { status } = await deps.api("POST", "/provider-apps", {
      body: app,
      shows: ["id", "provider", "clientId"],
    });
    deps.check(`the OAuth client for ${provider} is stored`, status === 200);
  }
}

const showsToken = (body: unknown): boolean => /"(accessToken|refreshToken)"/.test(JSON.stringify(body));
