/** Keeps destinations open between messages, and reopens them after a change. */
import { LRUCache } from "lru-cache";
import { DESTINATIONS } from "../../../destinations/index.gen.ts";
import type {
  BatchLimits,
  Channel,
  DestinationType,
  Outcome,
  DestinationNetwork,
} from "../../../destination-kit/destination.ts";
import type { Log } from "../../../ground/log.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import { listDestinationsById, type DestinationRow } from "../../store/deliveries/destinations.ts";
import { listActiveKeys, openDestinationSecrets } from "./destination-secrets.ts";
import { withoutSecrets } from "../../../ground/without-secrets.ts";
import { readMessage } from "../../../ground/errors.ts";

/** A destination that is ready to send. */
export interface OpenDestination {
  row: DestinationRow;
  type: Pick<DestinationType, "paced" | "maxMessageBytes"> & { disables: boolean };
  /** Set for a channel that takes several messages together. */
  batch?: BatchLimits | undefined;
  channel: Channel;
}

export interface Channels {
  /** Returns these destinations in the given version or a newer one; deleted ones are absent. */
  get(wanted: { destinationId: string; version: number }[]): Promise<Map<string, OpenDestination>>;
  close(): Promise<void>;
}

const MAX_OPEN = 2_000;

export function openChannels(deps: {
  data: DataQueries;
  sealer: Sealer;
  network: DestinationNetwork;
  log: Log;
}): Channels {
  const opened = new LRUCache<string, OpenDestination>({
    max: MAX_OPEN,
    dispose: (destination) => {
      destination.channel.close().catch((err: unknown) => deps.log.warn({ err }, "closing a destination"));
    },
  });
  return {
    async get(wanted) {
      const found = new Map<string, OpenDestination>();
      const missing = new Set<string>();
      for (const { destinationId: id, version } of wanted) {
        if (found.has(id) || missing.has(id)) continue;
        const known = opened.get(id);
        if (known && known.row.version >= version) found.set(id, known);
        else missing.add(id);
      }
      for (const row of await listDestinationsById(deps.data, [...missing])) {
        const destination = openDestination(deps, row);
        opened.set(row.id, destination);
        found.set(row.id, destination);
      }
      return found;
    },
    async close() {
      opened.clear();
    },
  };
}

/** Opens a stored destination. When that fails, every attempt fails with the reason. */
export function openDestination(
  deps: { sealer: Sealer; network: DestinationNetwork },
  row: DestinationRow,
): OpenDestination {
  const type = Object.hasOwn(DESTINATIONS, row.type) ? DESTINATIONS[row.type] : undefined;
  if (!type) return { row, type: BROKEN, channel: openBroken(`this version has no type "${row.type}"`) };
  const { paced, maxMessageBytes, signs: disables } = type;
  try {
    const secrets = openDestinationSecrets(deps.sealer, row);
    const channel = type.open(
      {
        config: row.metadata,
        secrets: secrets.secrets,
        signingKeys: () => listActiveKeys(secrets),
        name: row.name,
      },
      deps.network,
    );
    return {
      row,
      type: { paced, maxMessageBytes, disables },
      batch: type.batch?.(row.metadata),
      channel: hideSecrets(channel, secrets.secrets),
    };
  } catch (error) {
    // These errors name keys and settings, never their values.
    const reason = readMessage(error);
    return {
      row,
      type: { paced, maxMessageBytes, disables },
      channel: openBroken(`cannot be opened: ${reason}`),
    };
  }
}

const BROKEN = { paced: false, maxMessageBytes: undefined, disables: false };

const openBroken = (error: string): Channel => ({
  deliver: async (): Promise<Outcome> => ({ kind: "failed", error }),
  close: async () => {},
});

/** Wraps a channel so that these secrets are replaced in the answers and errors of its outcomes. */
function hideSecrets(channel: Channel, secrets: Record<string, unknown>): Channel {
  const values = Object.values(secrets).filter((value) => typeof value === "string");
  if (values.length === 0) return channel;
  const hidden = (outcome: Outcome): Outcome => {
    const { answer, error } = outcome;
    return {
      ...outcome,
      ...(answer && { answer: withoutSecrets(answer, values) }),
      ...(error && { error: withoutSecrets(error, values) }),
    };
  };
  return {
    deliver: async (message) => hidden(await channel.deliver(message)),
    ...(channel.deliverAll && {
      deliverAll: async (messages) => ((await channel.deliverAll?.(messages)) ?? []).map(hidden),
    }),
    close: () => channel.close(),
  };
}
