/** Carries out approved acts in the background, and takes over what dead processes had claimed. States: request-approval.ts. */
import type { Log } from "../../../ground/log.ts";
import { readTraceparent } from "../../../ground/trace-context.ts";
import type { Tracer } from "../../../ground/tracer.ts";
import { startClaimLoop, type ClaimLoop } from "../../jobs/claim-loop.ts";
import type { CustomerShards } from "../../operations/customer-shards.ts";
import type { Database } from "../../store/database/database.ts";
import type { ProcessIdentity } from "../../jobs/process-identity.ts";
import { withOrphanRecovery } from "../../jobs/recovering-loop.ts";
import {
  claimApprovals,
  findNextApprovalDueMs,
  postponeApproval,
  recoverApprovals,
  type ClaimedApproval,
} from "../../store/agents/approval-queue.ts";
import { readClaimers } from "../../store/processes/list-claimers.ts";
import { carryOutApproval, type CarryOutServices } from "./carry-out-approval.ts";

interface ApprovalWorkerServices extends CarryOutServices {
  shards: CustomerShards<{ database: Database }>;
  log: Log;
  identity: ProcessIdentity;
  /** Undefined if traces are not sent. */
  tracer?: Tracer | undefined;
}

const POLL_MS = 1_000;
const FAULT_DELAY_MS = 5_000;

/** Starts at once and runs until it is stopped. */
export function startApprovalWorker(deps: ApprovalWorkerServices): ClaimLoop {
  const { log, identity } = deps;
  const { control } = deps.database;
  const giveBack = ({ id }: ClaimedApproval, delayMs: number) =>
    postponeApproval(control, { id, workerId: identity.id, delayMs });
  const loop = startClaimLoop<ClaimedApproval>({
    what: "approved acts",
    log,
    pollMs: POLL_MS,
    source: {
      claim: (limit) => claimApprovals(control, identity.id, limit),
      release: async (items) => {
        for (const item of items) await giveBack(item, 0);
      },
      postpone: (item) => giveBack(item, FAULT_DELAY_MS),
      recover: (held) =>
        recoverApprovals(
          deps.database,
          identity.id,
          held.map(({ id }) => id),
        ),
      nextDueMs: () => findNextApprovalDueMs(control),
    },
    run: async (item, onAnswer) => {
      await carryOutApproval(await chooseServices(deps, item), item);
      onAnswer("sent");
    },
    work: ({ id, projectId, operationId, traceparent }) => ({
      tracer: deps.tracer,
      caller: readTraceparent(traceparent ?? undefined),
      ids: { projectId, operationId },
      name: "carry out approval",
      kind: "consumer",
      attributes: { "busbar.approval.id": id, "busbar.operation.id": operationId },
    }),
    getId: ({ id }) => id,
    getKey: ({ projectId }) => projectId,
    getGroup: ({ projectId }) => projectId,
  });
  return withOrphanRecovery(loop, {
    log,
    identity,
    listClaimers: () => readClaimers(control, "approvals"),
    recover: (deadProcess) => recoverApprovals(deps.database, deadProcess),
  });
}

/** Returns the services of the shard of the customer whom the act is for; those of the main one for an act without a customer. */
async function chooseServices(
  deps: ApprovalWorkerServices,
  { projectId, groupRef }: ClaimedApproval,
): Promise<CarryOutServices> {
  return groupRef === null ? deps : { ...deps, ...(await deps.shards.chooseByGroup(projectId, groupRef)) };
}
