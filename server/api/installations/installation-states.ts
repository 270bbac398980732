/** Reads what the data side knows of installations, each in the shard of its customer. */
import { listInstallationShards } from "../../store/access/customers.ts";
import type { Database } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import { listHealthReasons, type HealthReason } from "../../store/integrations/installation-health.ts";
import { listLastStatuses } from "../../store/integrations/installations.ts";
import { listReadPauses, type PausedObject } from "../../store/reads/read-objects.ts";
import { askPresent } from "../../store/shards/ask-shards.ts";

export interface InstallationState {
  pauses: PausedObject[];
  reasons: HealthReason[];
  lastOperationStatus: string | undefined;
}

interface FoundStates {
  /** Without those of shards that are away. */
  states: Map<string, InstallationState>;
  /** Names of these shards. */
  unavailable: string[];
}

export async function readInstallationStates(
  { control, data, shards }: Pick<Database, "control" | "data" | "shards">,
  ids: string[],
): Promise<FoundStates> {
  if (shards.length === 1) return { states: await readStates(data, ids), unavailable: [] };
  const [main] = shards;
  const homes = Map.groupBy(
    await listInstallationShards(control, ids),
    ({ shard }) => shard ?? main?.shard ?? "",
  );
  const asked = shards.filter(({ shard }) => homes.has(shard));
  const { answers, unavailable } = await askPresent({ shards: asked }, (own, { shard }) =>
    readStates(
      own,
      (homes.get(shard) ?? []).map(({ id }) => id),
    ),
  );
  const unknown = [...homes.keys()].filter((name) => shards.every(({ shard }) => shard !== name));
  return {
    states: new Map(answers.flatMap((states) => [...states])),
    unavailable: [...unavailable, ...unknown],
  };
}

async function readStates(data: DataQueries, ids: string[]): Promise<FoundStates["states"]> {
  const paused = await listReadPauses(data, ids);
  const reasons = await listHealthReasons(data, ids);
  const statuses = await listLastStatuses(data, ids);
  const pauses = Map.groupBy(paused, ({ installationId }) => installationId);
  return new Map(
    ids.map((id) => [
      id,
      {
        pauses: pauses.get(id) ?? [],
        reasons: reasons.get(id) ?? [],
        lastOperationStatus: statuses.get(id),
      },
    ]),
  );
}
