// What the listener and the control interface need of a simulated provider.

import type { SandboxAnswer, Data, SandboxExchange } from "./exchange.ts";
import type { Grants } from "./oauth/grants.ts";

export type ProviderName = "hubspot" | "salesforce";

export type Provider = {
  name: ProviderName;
  grants: Grants;
  answer(exchange: SandboxExchange): SandboxAnswer;
  /** Live records of one object, as plain values. */
  records(object: string): Data[];
  objects(): string[];
  setLimits(limits: Data | "off" | "real"): void;
  limits(): Data;
  reset(): void;
};

/** An OAuth client the sandbox knows. Without any, every client id and secret is accepted. */
export type KnownClient = { id: string; secret: string };
