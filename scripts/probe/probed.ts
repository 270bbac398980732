/** A provider with the description that a probe compares its answers with. */
import type { Connector } from "../../connector-kit/connector.ts";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import type { Account } from "../../connector-kit/calls/provider-fetch.ts";
import type { ProviderInfo } from "../../connector-kit/provider-info.ts";

export interface Probed {
  info: ProviderInfo;
  description: Description;
  /** Calls with the account. */
  connector: Connector;
  account?: Account;
}
