/** Chooses how an installation learns of changes, and what prevents it. Pure. */
import type { Connector } from "../../../connector-kit/connector.ts";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { AddressGuard, normalizeHost } from "../../egress/address-guard.ts";
import type { SubscriptionSource } from "../../store/subscriptions/subscriptions.ts";

export interface ChosenSource {
  source: SubscriptionSource;
  /** Why the subscription cannot be set up. */
  fault?: string;
  /** Why it is not a quicker one. */
  reason?: string;
  /** What stands in if the source cannot be set up; absent: there is no other way, or the builder wants none. */
  otherwise?: { source: SubscriptionSource; reason?: string };
}

/** The setting of the provider app, in `metadata.providerParams`. */
export const SOURCE_SETTING = "subscribeSource";

const SOURCES: readonly string[] = ["webhook", "journal", "pubsub", "polling"] satisfies SubscriptionSource[];
const isSource = (text: string): text is SubscriptionSource => SOURCES.includes(text);

/** The ways in which a provider may report changes. */
interface BuiltSources {
  /** Whether the provider has pushes that Busbar understands. */
  pushes: boolean;
  /** Whether Busbar can open a stream at the provider. */
  streams: boolean;
  /** Whether the provider keeps a journal that Busbar reads. */
  journals: boolean;
}

/** Returns which sources of changes the connector has. An overlay that moves the provider without its streaming address has no streams. */
export const listSources = (
  { subscribe, stream, journal }: Pick<Connector, "subscribe" | "stream" | "journal">,
  info: Pick<ProviderInfo, "pubSubURL"> | undefined,
): BuiltSources => ({
  pushes: subscribe?.push !== undefined,
  streams: stream !== undefined && info?.pubSubURL !== undefined,
  journals: journal !== undefined,
});

interface Choice extends BuiltSources {
  publicUrl: string;
  provider: string;
}

/** `apps`: the provider apps of the project for the provider. */
export function chooseSource(apps: readonly { metadata: unknown }[], choice: Choice): ChosenSource {
  const { pushes, streams, journals, provider } = choice;
  const named = apps
    .map(({ metadata }) => readSourceSetting(metadata))
    .find((source) => source !== undefined);
  if (named !== undefined && isSource(named)) {
    const built = { polling: true, webhook: pushes, journal: journals, pubsub: streams };
    if (built[named]) return { source: named };
    return { source: named, fault: `The source \`${named}\` of ${provider} is not built yet. ${REMEDY}` };
  }
  if (streams) return { source: "pubsub", otherwise: { source: "polling", reason: UNTIL_STREAM } };
  const slower = chooseSlower(apps, choice);
  if (!journals || apps.length === 0) return slower;
  const reason = slower.reason && `${slower.reason} The journal is tried again every 15 minutes.`;
  return { source: "journal", otherwise: { ...slower, ...(reason && { reason }) } };
}

/** Chooses between pushes and polling. */
function chooseSlower(
  apps: readonly unknown[],
  { pushes, publicUrl, provider }: Choice,
): { source: SubscriptionSource; reason?: string } {
  if (!pushes) return { source: "polling", reason: `${provider} pushes nothing here. ${READ}` };
  if (apps.length === 0) {
    const reason = `The project has no provider app for ${provider}, whose client secret signs the provider's requests.`;
    return { source: "polling", reason: `${reason} ${READ}` };
  }
  if (isPublic(publicUrl)) return { source: "webhook" };
  const reason = `${provider} cannot reach ${publicUrl}: set BUSBAR_PUBLIC_URL to a public https origin.`;
  return { source: "polling", reason: `${reason} ${READ}` };
}

const UNTIL_STREAM =
  "Until then changes are found by reading, later than by the provider's stream, which is tried again every 15 minutes.";
const REMEDY = "Remove `subscribeSource` from the provider app's `providerParams`, or set it to `polling`.";
const READ = "Until then changes are found by reading, later than by pushes.";

/** Returns the values that the setting may have for a provider whose changes can be subscribed to. */
export const listSourceSettings = ({ pushes }: { pushes: boolean }): string[] =>
  pushes ? ["auto", "webhook", "journal", "polling"] : ["auto", "pubsub", "polling"];

/** Returns the setting; undefined if it is not set, or `auto`. */
function readSourceSetting(metadata: unknown): string | undefined {
  const params = readMember(metadata, "providerParams");
  const source = readMember(params, SOURCE_SETTING);
  return typeof source === "string" && source !== "" && source !== "auto" ? source : undefined;
}

const readMember = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** Returns whether a provider on the internet may reach the address. */
export function isPublic(publicUrl: string): boolean {
  const url = URL.parse(publicUrl);
  if (url?.protocol !== "https:") return false;
  const host = normalizeHost(url.hostname);
  if (host === "localhost" || host.endsWith(".localhost") || !/[.:]/.test(host)) return false;
  return !/^[\d.]+$|:/.test(host) || new AddressGuard([]).permits(host, false);
}
