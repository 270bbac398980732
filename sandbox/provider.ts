// The interface of a simulated provider for the listener and the controls.

import type { SandboxAnswer, Data, SandboxExchange } from "./exchange.ts";
import type { Grants } from "./oauth/grants.ts";

export type ProviderName = "hubspot" | "salesforce";

export type Provider = {
  name: ProviderName;
  grants: Grants;
  answer(exchange: SandboxExchange): SandboxAnswer;
  /** Returns the records of one object as plain values. */
  records(object: string): Data[];
  objects(): string[];
  setLimits(limits: Data | "off" | "real"): void;
  limits(): Data;
  reset(): void;
};

/** An OAuth client that is accepted. Without any, every client id and secret is accepted. */
export type KnownClient = { id: string; secret: string };
