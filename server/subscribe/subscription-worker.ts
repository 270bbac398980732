/** Works on subscriptions: claims those that are due in turns of projects, and processes their events. */
import { nowMs } from "../../ground/clock.ts";
import type { Tracer } from "../../ground/tracer.ts";
import { computeBackoffMs } from "../jobs/backoff.ts";
import { startClaimLoop, type ClaimLoop, type CapacityFor } from "../jobs/claim-loop.ts";
import type { ProcessIdentity } from "../jobs/process-identity.ts";
import { limitPerKey } from "../jobs/limit-per-key.ts";
import { withOrphanRecovery } from "../jobs/recovering-loop.ts";
import type { DataQueries } from "../store/database/sides.ts";
import { readClaimers } from "../store/processes/list-claimers.ts";
import {
  claimSubscriptions,
  listDueSubscriptions,
  findNextSubscriptionDueMs,
  postponeSubscription,
  recoverSubscriptions,
  releaseSubscriptions,
  type ClaimedSubscription,
} from "../store/subscriptions/subscriptions.ts";
import { runSubscription, type SubscriptionRunServices } from "./run-subscription.ts";

export type SubscriptionWorkerServices = SubscriptionRunServices & {
  identity: ProcessIdentity;
  /** Undefined if traces are not sent. */
  tracer?: Tracer | undefined;
};

const LIMITS = { places: 64, pollMs: 1_000 };
/** Due subscriptions among which the turns of projects are taken. */
const AMONG = 1_000;

/** Starts at once and runs until it is stopped. */
export function startSubscriptionWorker(deps: SubscriptionWorkerServices): ClaimLoop {
  const { log, identity } = deps;
  const { data } = deps.database;
  const loop = startClaimLoop<ClaimedSubscription>({
    what: "subscriptions",
    log,
    source: {
      claim: async (limit, capacity) =>
        claimSubscriptions(data, identity.id, await chooseDue(data, limit, capacity)),
      release: (items) => releaseSubscriptions(data, identity.id, listIds(items)),
      postpone: ({ claim, attempts, state }) =>
        postponeSubscription(data, {
          ...claim,
          retryTime: new Date(
            nowMs() + computeBackoffMs({ attempts: attempts + 1, baseMs: deps.retryBaseMs }),
          ),
          attempts: attempts + 1,
          state,
          reason: "An attempt failed on the side of Busbar. The log has the cause.",
        }),
      recover: (held) => recoverSubscriptions(data, identity.id, listIds(held)),
      nextDueMs: () => findNextSubscriptionDueMs(data),
    },
    run: (subscription, onAnswer) => runSubscription(deps, subscription, onAnswer),
    work: ({ id, projectId, installationId, connectionId, objectName }) => ({
      tracer: deps.tracer,
      caller: undefined,
      ids: { projectId, installationId, connectionId, subscriptionId: id },
      name: "process changes",
      kind: "internal",
      attributes: {
        "busbar.project.id": projectId,
        "busbar.installation.id": installationId,
        "busbar.object": objectName,
      },
    }),
    getId: ({ id }) => id,
    getKey: ({ connectionId }) => connectionId,
    getGroup: ({ projectId }) => projectId,
    // Events may have arrived during the turn.
    unblocksOthers: () => true,
    ...LIMITS,
  });
  return withOrphanRecovery(loop, {
    log,
    identity,
    listClaimers: () => readClaimers(data, "subscriptions"),
    recover: (deadProcess) => recoverSubscriptions(data, deadProcess),
  });
}

const chooseDue = async (queries: DataQueries, limit: number, capacity: CapacityFor): Promise<string[]> =>
  listIds(limitPerKey(await listDueSubscriptions(queries, AMONG), limit, capacity));

const listIds = (items: { id: string }[]): string[] => items.map(({ id }) => id);
