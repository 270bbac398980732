/** Creates a customer with a connected CRM and an installed integration, with which most journeys begin. */
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Answer, Client } from "./client.ts";

export interface Customer {
  integration: string;
  groupRef: string;
  connectionId: string;
  /** The connection's first tokens. */
  refreshToken: string;
  installationId: string;
  /** Writes for this customer. */
  write(object: string, body: object, headers?: Record<string, string>): Promise<Answer>;
  /** Writes for this customer and returns the answer; fails if the write is refused. */
  succeed(object: string, body: object): Promise<Answer["body"]>;
  proxied(path: string, headers?: Record<string, string>): Promise<Answer>;
}

interface Wanted {
  provider: "hubspot" | "salesforce";
  groupRef?: string;
  /** The installation's configuration. */
  content?: object;
  /** Installs without asking the provider what the account has. Default: with `objects`, so that a test's own calls are the first. */
  skipSampling?: boolean;
  /** Lifetime of the access token, for the connection and the provider. */
  expiresInSeconds?: number;
}
/** The integration: one that writes these objects and proxies, or one of a manifest. */
type Integration = { objects: string[] } | { manifest: string; integration: string };

export async function connectCustomer(
  busbar: Client & { sandbox: Sandbox },
  wanted: Wanted & Integration,
): Promise<Customer> {
  const { provider, groupRef = "acme", content, skipSampling = "objects" in wanted } = wanted;
  const { manifest, integration } =
    "manifest" in wanted
      ? wanted
      : { manifest: buildWritingManifest(provider, wanted.objects), integration: provider };
  const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest });
  if (deployed.status !== 200) throw new Error(`deploy: ${deployed.text}`);
  const { connectionId, refreshToken } = await connect(busbar, { ...wanted, groupRef });
  const installations = `/integrations/${integration}/installations${skipSampling ? "?skipSampling=true" : ""}`;
  const installation = await busbar.inProject("POST", installations, {
    groupRef,
    config: { content: { provider, ...("objects" in wanted && { proxy: { enabled: true } }), ...content } },
  });
  if (installation.status !== 201) throw new Error(`install: ${installation.text}`);
  const write: Customer["write"] = (object, body, headers) =>
    busbar.write(integration, object, { groupRef, ...body }, headers);
  return {
    integration,
    groupRef,
    connectionId,
    refreshToken,
    installationId: installation.body.id,
    write,
    async succeed(object, body) {
      const answer = await write(object, body);
      if (answer.status !== 200) throw new Error(`write: ${answer.text}`);
      return answer.body;
    },
    proxied: (path, headers) => busbar.proxied({ integration, groupRef }, path, headers),
  };
}

/** Connects with tokens of the sandbox. HubSpot reports when they expire; Salesforce does not. */
async function connect(
  busbar: Client & { sandbox: Sandbox },
  { provider, groupRef, expiresInSeconds }: Wanted & { groupRef: string },
): Promise<Pick<Customer, "connectionId" | "refreshToken">> {
  const tokens = busbar.sandbox[provider].mintToken({ expiresInSeconds });
  const ends = provider === "hubspot" && expiresInSeconds !== undefined && { expiresAt: tokens.expiresAt };
  const connection = await busbar.inProject("POST", "/connections:generate", {
    provider,
    groupRef,
    consumerRef: `${groupRef}-admin`,
    providerWorkspaceRef: "acme",
    oauth2AuthorizationCode: {
      accessToken: { token: tokens.accessToken, ...ends },
      refreshToken: { token: tokens.refreshToken },
    },
  });
  if (connection.status !== 201) throw new Error(`connect: ${connection.text}`);
  return { connectionId: connection.body.id, refreshToken: tokens.refreshToken ?? "" };
}

const buildWritingManifest = (provider: string, objects: string[]): string => `specVersion: 1.0.0
integrations:
  - name: ${provider}
    provider: ${provider}
    write:
      objects:${objects.map((name) => `\n        - objectName: ${name}`).join("")}
    proxy:
      enabled: true
`;
