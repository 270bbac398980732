// Starts two simulated CRMs, HubSpot and Salesforce, on one listener, with controls for tests and demonstrations.

import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { SandboxClock } from "./clock.ts";
import { buildCatalogOverlay, type CatalogOverlay } from "./catalog-overlay.ts";
import { createControlApi } from "./control/control-api.ts";
import type { SandboxFault } from "./control/fault.ts";
import { Faults, type ActiveFault } from "./control/faults.ts";
import {
  RequestLog,
  type EndpointCount,
  type LoggedRequest,
  type RequestFilter,
} from "./control/request-log.ts";
import { mintToken, type MintedToken, type MintOptions } from "./control/tokens.ts";
import type { Data } from "./exchange.ts";
import { createHubSpot, STATIC_TOKEN, type HubSpotOptions } from "./hubspot/hubspot.ts";
import type { Journal } from "./hubspot/journal.ts";
import type { Webhooks } from "./hubspot/webhooks.ts";
import { createListener } from "./listener.ts";
import type { AccountControls, KnownClient, Provider, ProviderName } from "./provider.ts";
import { toReachableHost } from "./reachable-host.ts";
import type { PubSubTls } from "./salesforce/pubsub-server.ts";
import { createSalesforce, type SalesforceOptions } from "./salesforce/salesforce.ts";
import type { SalesforceStreams } from "./salesforce/stream-controls.ts";

export type { CatalogOverlay, EndpointCount, SandboxFault, LoggedRequest, MintedToken, MintOptions };

export type SandboxOptions = {
  host?: string;
  /** Default 0: a free port. Salesforce's Pub/Sub API has the next one, or another free one. */
  port?: number;
  /** Certificate with which the Pub/Sub API is served, as published clients expect it; by default it is in plain text. */
  pubSubTls?: PubSubTls;
  /** "real" (default) has the providers' own rate limits, "off" none, for benchmarks. */
  limits?: "real" | "off";
  /** Lifetime of access tokens in seconds; 1800 for HubSpot and 7200 for Salesforce by default. */
  tokenLifetimeSeconds?: number;
  /** Accepted OAuth clients; by default any. */
  clients?: KnownClient[];
  /** Whether consent pages answer with a code at once. */
  autoApprove?: boolean;
  /** Maximum number of requests in the log; default 5000. */
  requestLogSize?: number;
  hubspot?: Pick<HubSpotOptions, "unknownPropertyFailsBatch" | "echoTraceIds">;
  salesforce?: Pick<SalesforceOptions, "duplicateRules">;
};

export type ProviderControls = {
  /** Base URL of the provider's API. */
  url: string;
  mintToken(options?: MintOptions): MintedToken;
  /** Expires all access tokens; refresh tokens stay valid. */
  expireTokens(): void;
  /** Revokes all grants, as if the app had been removed. */
  revokeTokens(): void;
  records(object: string): Data[];
  setLimits(limits: Data | "off" | "real"): void;
  /** Controls of the account, which bypass the API. */
  account: AccountControls;
};

export type Sandbox = {
  url: string;
  hubspot: ProviderControls & { staticToken: string; webhooks: Webhooks; journal: Journal };
  salesforce: ProviderControls & SalesforceStreams;
  catalog(): CatalogOverlay;
  requests(filter?: RequestFilter): LoggedRequest[];
  clearRequests(): void;
  /** Returns how often each endpoint was called since the log was cleared. */
  counts(provider?: ProviderName): EndpointCount[];
  clock: SandboxClock;
  records(provider: ProviderName, object: string): Data[];
  /** Adds a fault and returns its id. */
  addFault(fault: SandboxFault): string;
  faults(): ActiveFault[];
  clearFaults(): void;
  /** Restores the initial records; removes tokens, faults and the request log. */
  reset(): void;
  close(): Promise<void>;
};

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const faults = new Faults();
  const log = new RequestLog(options.requestLogSize ?? 5000);
  const clock = new SandboxClock();
  let origin = "";
  const common = { ...options, clock, origin: () => origin };
  const hubspot = createHubSpot({ ...common, ...options.hubspot });
  const salesforce = createSalesforce({ ...common, ...options.salesforce });
  const providers: Provider[] = [hubspot, salesforce];
  clock.whenMoved(() => {
    for (const provider of providers) provider.account.purgeExpired();
  });
  const reset = (): void => {
    for (const provider of providers) provider.reset();
    faults.clear();
    log.clear();
    clock.reset();
  };
  let pubSubUrl = "";
  const catalog = (): CatalogOverlay => buildCatalogOverlay(origin, pubSubUrl);
  const control = createControlApi({
    providers,
    faults,
    log,
    clock,
    webhooks: hubspot.webhooks,
    journal: hubspot.journal,
    streams: salesforce.streams,
    catalog,
    reset,
  });
  const server = createListener({ providers, control, faults, log, clock });
  const host = options.host ?? "127.0.0.1";
  server.listen(options.port ?? 0, host);
  await once(server, "listening");
  const { server: pubSub } = salesforce.streams;
  pubSubUrl = await pubSub.listen(options.port ? options.port + 1 : 0, host);
  origin = `http://${toReachableHost(host)}:${readPort(server.address())}`;
  return {
    url: origin,
    hubspot: {
      ...openControls(hubspot, origin),
      staticToken: STATIC_TOKEN,
      webhooks: hubspot.webhooks,
      journal: hubspot.journal,
    },
    salesforce: { ...openControls(salesforce, origin), ...salesforce.streams },
    catalog,
    requests: (filter) => log.list(filter),
    clearRequests: () => log.clear(),
    counts: (provider) => log.counts(provider),
    clock,
    records: (name, object) => (name === "hubspot" ? hubspot : salesforce).records(object),
    addFault: (fault) => faults.add(fault),
    faults: () => faults.list(),
    clearFaults: () => faults.clear(),
    reset,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, pubSub.close()]);
    },
  };
}

function openControls(provider: Provider, origin: string): ProviderControls {
  return {
    url: `${origin}/${provider.name}`,
    mintToken: (options) => mintToken(provider.grants, options),
    expireTokens: () => provider.grants.expireAll(),
    revokeTokens: () => provider.grants.revokeAll(),
    records: (object) => provider.records(object),
    setLimits: (limits) => provider.setLimits(limits),
    account: provider.account,
  };
}

function readPort(address: AddressInfo | string | null): number {
  return address !== null && typeof address === "object" ? address.port : 0;
}
