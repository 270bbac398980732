/** Chooses how an installation learns of changes, and what prevents it. Pure. */
import type { Connector } from "../../connector-kit/connector.ts";
import type { ProviderInfo } from "../../connector-kit/provider-info.ts";
import { AddressGuard, bareHost } from "../egress/address-guard.ts";
import type { SubscriptionSource } from "../store/subscriptions.ts";

export interface ChosenSource {
  source: SubscriptionSource;
  /** Why the subscription cannot be set up. */
  fault?: string;
  /** Why it is not a quicker one. */
  reason?: string;
  /** The builder has chosen it: there is no other way if it fails. */
  isNamed?: true;
}

/** The setting of the provider app, in `metadata.providerParams`. */
export const SOURCE_SETTING = "subscribeSource";

const SOURCES: readonly string[] = ["webhook", "journal", "pubsub", "polling"] satisfies SubscriptionSource[];
const isSource = (text: string): text is SubscriptionSource => SOURCES.includes(text);

/** The ways in which a provider may report changes. */
export interface BuiltSources {
  /** Whether the provider has pushes that Busbar understands. */
  pushes: boolean;
  /** Whether Busbar can open a stream at the provider. */
  streams: boolean;
}

/** An overlay that moves the provider without its streaming address has no streams. */
export const sourcesOf = (
  { subscribe, stream }: Pick<Connector, "subscribe" | "stream">,
  info: Pick<ProviderInfo, "pubSubURL"> | undefined,
): BuiltSources => ({
  pushes: subscribe?.push !== undefined,
  streams: stream !== undefined && info?.pubSubURL !== undefined,
});

/** `apps`: the provider apps of the project for the provider. */
export function chooseSource(
  apps: readonly { metadata: unknown }[],
  { pushes, streams, publicUrl, provider }: BuiltSources & { publicUrl: string; provider: string },
): ChosenSource {
  const named = apps.map(({ metadata }) => sourceSetting(metadata)).find((source) => source !== undefined);
  if (named === "polling") return { source: "polling" };
  if (streams && named === undefined) return { source: "pubsub" };
  if (named === "pubsub" && streams) return { source: named, isNamed: true };
  if (named !== undefined && isSource(named)) {
    if (named === "webhook" && pushes) return { source: named };
    return { source: named, fault: `The source \`${named}\` of ${provider} is not built yet. ${REMEDY}` };
  }
  if (!pushes) return { source: "polling", reason: `${provider} pushes nothing here. ${READ}` };
  if (apps.length === 0) {
    const reason = `The project has no provider app for ${provider}, whose client secret signs the provider's requests.`;
    return { source: "polling", reason: `${reason} ${READ}` };
  }
  if (isPublic(publicUrl)) return { source: "webhook" };
  const reason = `${provider} cannot reach ${publicUrl}: set BUSBAR_PUBLIC_URL to a public https origin.`;
  return { source: "polling", reason: `${reason} ${READ}` };
}

const REMEDY = "Remove `subscribeSource` from the provider app's `providerParams`, or set it to `polling`.";
const READ = "Until then changes are found by reading, later than by pushes.";

/** Returns the values that the setting may have for a provider whose changes can be subscribed to. */
export const sourceSettings = ({ pushes }: { pushes: boolean }): string[] =>
  pushes ? ["auto", "webhook", "journal", "polling"] : ["auto", "pubsub", "polling"];

/** Returns the setting; undefined if it is not set, or `auto`. */
export function sourceSetting(metadata: unknown): string | undefined {
  const params = memberOf(metadata, "providerParams");
  const source = memberOf(params, SOURCE_SETTING);
  return typeof source === "string" && source !== "" && source !== "auto" ? source : undefined;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** Whether a provider on the internet may reach the address. */
export function isPublic(publicUrl: string): boolean {
  const url = URL.parse(publicUrl);
  if (url?.protocol !== "https:") return false;
  const host = bareHost(url.hostname);
  if (host === "localhost" || host.endsWith(".localhost") || !/[.:]/.test(host)) return false;
  return !/^[\d.]+$|:/.test(host) || new AddressGuard([]).permits(host, false);
}
