/** A provider with custom authentication: `keyed` takes credentials, `consented` has a page of its own. */
import { createServer, type Server } from "node:http";

export const PASSWORD = "the-customers-password";
export const CLIENT_SECRET = "the-builders-secret";

/** Opens a provider that changes a password for a key, and an application's secret for a token of a tenant that has consented. */
export function openCustomAuthProvider(): { server: Server; received: string[]; revoked: Set<string> } {
  const received: string[] = [];
  const revoked = new Set<string>();
  let issued = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url = "", headers } = request;
      const body = Buffer.concat(chunks).toString();
      received.push(`${method} ${url} ${headers.authorization ?? ""} ${body}`);
      const send = (status: number, value: object) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
      if (url === "/api/authentication") {
        const wanted = `Basic ${Buffer.from(`vendor:ada:${PASSWORD}`).toString("base64")}`;
        if (headers.authorization !== wanted) return send(401, { message: "wrong password" });
        return send(200, { authenticated_user: { user_key: "uk-1" } });
      }
      if (url === "/t-42/token?client=app-1+%26+more") {
        const form = new URLSearchParams(body);
        if (form.get("client_secret") !== CLIENT_SECRET) return send(401, { error: "invalid_client" });
        issued += 1;
        return send(200, { access_token: `app-token-${issued}`, expires_in: 3_600 });
      }
      if (revoked.has(headers.authorization ?? "")) return send(401, {});
      send(200, { url, authorization: headers.authorization });
    });
  });
  return { server, received, revoked };
}

export function customAuthProviders(url: string) {
  const support = { proxy: true };
  const tokenStep = {
    request: {
      method: "POST",
      url: `${url}/{{.workspace}}/token`,
      params: { client: "{{.clientId}} & more" },
      form: {
        grant_type: "client_credentials",
        client_id: "{{.clientId}}",
        client_secret: "{{.clientSecret}}",
      },
      take: { accessToken: "access_token" },
      expiresIn: "expires_in",
    },
  };
  return {
    keyed: {
      authType: "custom",
      baseURL: `${url}/api`,
      support,
      customOpts: {
        multiStep: true,
        inputs: ["apiKey", "username", "password"].map((name) => ({ name, displayName: name })),
        connectSteps: [
          {
            request: {
              method: "GET",
              url: `${url}/api/authentication`,
              basic: { username: "{{.apiKey}}", password: "{{.username}}:{{.password}}" },
              take: { userKey: "authenticated_user.user_key" },
              base64: { pair: "{{.apiKey}}:{{.userKey}}" },
            },
          },
        ],
        headers: [{ name: "Authorization", valueTemplate: "Userkeyauth {{.pair}}" }],
      },
    },
    consented: {
      authType: "custom",
      baseURL: `${url}/graph`,
      support,
      customOpts: {
        multiStep: true,
        providerInputs: [
          { name: "clientId", displayName: "Client id" },
          { name: "clientSecret", displayName: "Client secret" },
        ],
        connectSteps: [
          {
            redirect: {
              url: `${url}/consent`,
              params: {
                client_id: "{{.clientId}}",
                redirect_uri: "{{.callbackURL}}",
                state: "{{.state}}",
              },
              expect: { admin_consent: "true" },
              metadata: { workspace: "tenant" },
            },
          },
          tokenStep,
        ],
        refreshSteps: [tokenStep],
        headers: [{ name: "Authorization", valueTemplate: "Bearer {{.accessToken}}" }],
      },
    },
  };
}
