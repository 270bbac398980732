/** What the tools of a customer's endpoint are given with each call. */
import type { CustomerShards } from "../operations/customer-shards.ts";
import type { Database } from "../store/database/database.ts";
import type { Idempotency } from "../operations/idempotency.ts";
import type { WriteNowServices } from "../write/write-now.ts";
import type { SearchServices } from "../read/requests/search-records.ts";
import type { AgentSession } from "./agent-session.ts";
import type { CallOperation } from "./api-operations.ts";
import { listCustomerIntegrations, type CustomerIntegration } from "./customer-objects.ts";
import type { AgentPolicy } from "./policy/policy.ts";

export type CustomerServices = SearchServices &
  WriteNowServices & {
    idempotency: Idempotency;
    minuteMs: number;
    publicUrl: () => string;
    /** Services of the shard that a customer is in. */
    shards: CustomerShards<{ database: Database }>;
    /** Calls an operation of the API. */
    callOperation: CallOperation;
  };

export interface CustomerCall {
  deps: CustomerServices;
  session: AgentSession;
  policy: AgentPolicy;
  /** Looked up once for a call. */
  integrations(): Promise<CustomerIntegration[]>;
}

export function openCustomerCall(
  deps: CustomerServices,
  session: AgentSession,
  policy: AgentPolicy,
): CustomerCall {
  let integrations: Promise<CustomerIntegration[]> | undefined;
  return {
    deps,
    session,
    policy,
    integrations: () =>
      (integrations ??= listCustomerIntegrations(deps, { session, policy }, session.scope.installed)),
  };
}
