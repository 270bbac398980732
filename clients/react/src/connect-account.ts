/** Connects an account, or renews the connection there is, in the way that the provider wants. */
import type { Busbar, Connection, CustomAuthConnectResponse, Provider } from "@busbar/client";
import { ConsentEnded, openConsentWindow, type ConsentWindow } from "./consent-window.js";
import { chooseWay, readTypedCredentials, readTypedMetadata } from "./credential-fields.js";
import type { Customer } from "./customer-token.js";

export interface ConnectRequest {
  client: Busbar;
  project: string;
  provider: Provider;
  /** The connection to renew. */
  existing?: Connection;
  findCustomer: () => Promise<Customer>;
  names: { groupName?: string; consumerName?: string };
  /** What the customer typed, by the names of the fields. */
  values: Record<string, string>;
  signal: AbortSignal;
}

/** Call it while a click is handled. Throws `ConsentEnded`, `ConsentRefused` or the client's `BusbarError`. */
export async function connectAccount(request: ConnectRequest): Promise<void> {
  const way = chooseWay(request.provider);
  if (way === "credentials") return await sendCredentials(request);
  if (way === "steps") return await takeSteps(request);
  await askConsent(request, openConsentWindow(request.signal));
}

/** The provider, the customer or Busbar refused, in words for the customer. */
export class ConsentRefused extends Error {
  override readonly name = "ConsentRefused";
}

async function askConsent(request: ConnectRequest, consent: ConsentWindow): Promise<void> {
  const { client, provider, existing, values } = request;
  try {
    const url = existing
      ? await client.oauthUpdate({ connectionId: existing.id })
      : await client.oauthConnect({
          oauthConnectRequest: {
            ...(await nameCustomer(request)),
            provider: provider.name,
            providerMetadata: readTypedMetadata(provider, values),
          },
        });
    const { error } = await consent.visit(String(url), readOutcome);
    if (error !== undefined) throw new ConsentRefused(error);
  } catch (error) {
    // Some providers' pages cut the tie to this one, so that the window seems closed and its message is lost.
    if (error instanceof ConsentEnded && error.reason === "closed" && (await hasConnected(request))) return;
    throw error;
  } finally {
    consent.close();
  }
}

/** Returns the outcome in a message of Busbar's last page, if it is one. */
function readOutcome(message: unknown): { error?: string } | undefined {
  const { eventType, data } = (message ?? {}) as { eventType?: string; data?: { error?: unknown } };
  if (eventType === "AUTHORIZATION_SUCCEEDED") return {};
  return eventType === "AUTHORIZATION_FAILED" ? { error: String(data?.error ?? "") } : undefined;
}

async function hasConnected({ client, provider, existing, findCustomer }: ConnectRequest): Promise<boolean> {
  const { groupRef } = await findCustomer();
  const [connection] = await client.listConnections({ groupRef, provider: provider.name });
  return (
    connection !== undefined &&
    connection.status !== "bad_credentials" &&
    connection.updateTime !== existing?.updateTime
  );
}

/** Goes through a scheme of the provider's own: pages of the provider, as many as it asks for, or none. */
async function takeSteps(request: ConnectRequest): Promise<void> {
  const { client, project, provider, values, signal } = request;
  const { customOpts } = provider;
  // Without a page of the provider's, no window.
  const leaves = customOpts?.connectSteps?.some(({ redirect }) => redirect) ?? customOpts?.multiStep;
  const consent = leaves ? openConsentWindow(signal) : undefined;
  const { customAuth = {} } = readTypedCredentials(provider, values);
  const metadata = readTypedMetadata(provider, values);
  try {
    let step: CustomAuthConnectResponse = await client.customAuthConnect({
      customAuthConnectRequest: {
        ...(await nameCustomer(request)),
        provider: provider.name,
        customAuth,
        providerMetadata: metadata,
      },
    });
    while (step.redirect) {
      const { url, sessionId } = step.redirect;
      const callbackParams = await (consent ?? openConsentWindow(signal)).visit(url, readParams);
      const customAuthConnectRequest = { projectIdOrName: project, sessionId, callbackParams };
      step = await client.customAuthConnect({ customAuthConnectRequest });
    }
  } finally {
    consent?.close();
  }
}

function readParams(message: unknown): Record<string, string> | undefined {
  const { source, params } = (message ?? {}) as { source?: string; params?: Record<string, string> };
  return source === "ampersand-custom-auth" ? params : undefined;
}

async function sendCredentials(request: ConnectRequest): Promise<void> {
  const { client, provider, existing, values } = request;
  const credentials = readTypedCredentials(provider, values);
  const metadata = readTypedMetadata(provider, values);
  if (existing) {
    const connection = {
      ...credentials,
      ...(Object.keys(metadata).length && { providerMetadata: metadata }),
    };
    const updateConnectionRequest = { updateMask: Object.keys(connection), connection };
    await client.updateConnection({ connectionId: existing.id, updateConnectionRequest });
    return;
  }
  const { projectIdOrName: _, ...customer } = await nameCustomer(request);
  const more = { ...credentials, providerMetadata: metadata };
  await client.generateConnection({
    generateConnectionRequest: { ...customer, provider: provider.name, ...more },
  });
}

const nameCustomer = async ({ project, findCustomer, names }: ConnectRequest) => ({
  projectIdOrName: project,
  ...(await findCustomer()),
  ...names,
});
