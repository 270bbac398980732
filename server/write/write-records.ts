/** The write endpoint: one record or a batch, checked, planned, carried out, recorded, answered. */
import { Type } from "typebox";
import { authorizedFetch } from "../credentials/authorized-fetch.ts";
import type { Egress } from "../egress.ts";
import { Problem } from "../ground/errors.ts";
import { newId } from "../ground/ids.ts";
import type { JsonObject } from "../ground/json.ts";
import { projectEndpoint } from "../http/endpoint.ts";
import { markConnectionWorking } from "../store/connections.ts";
import { endOperation, insertOperation, type LogEntry } from "../store/operations.ts";
import { answerOf, WriteAnswerSchema } from "./answer.ts";
import { execute, type Execution } from "./execute.ts";
import { findTarget, type TargetServices, type WriteTarget } from "./find-target.ts";
import { planWrite, type WritePlan } from "./plan.ts";
import { WriteRequestSchema } from "./write-request.ts";

export interface WriteServices extends TargetServices {
  egress: Egress;
  /** How long a provider may take to answer one request of a synchronous write. */
  providerTimeoutMs?: number;
}

export const writeRecords = (on: WriteServices) =>
  projectEndpoint({
    operationId: "writeRecords",
    tag: "Write",
    summary: "Write records",
    description:
      "Creates, updates or deletes a record, or up to 100 of them, in the customer's account. `synchronous` waits for " +
      "the provider and answers the record as it now is there. When the provider refuses, the answer is 422 with one " +
      "body that is both the Problem and the result; a batch of which something was written answers 200.",
    params: Type.Object({
      integrationId: Type.String({ description: "Id or name of the integration." }),
      objectName: Type.String({ description: "Name of the object as in the manifest; may hold slashes." }),
    }),
    body: WriteRequestSchema,
    success: { status: 200, description: "Written, or accepted.", schema: WriteAnswerSchema },
    refusals: [422, 502, 504],
    async handle({ project, params, body }) {
      if (body.mode === "asynchronous" && body.type !== "delete") throw asynchronousNotBuilt();
      const target = await findTarget(on, {
        projectId: project.id,
        integration: params.integrationId,
        objectName: params.objectName,
        groupRef: body.groupRef,
      });
      const plan = planWrite(body, target.settings, target.connector.write.abilities);
      return writeNow(on, target, plan);
    },
  });

const asynchronousNotBuilt = (): Problem =>
  new Problem("not-built", {
    detail: "Asynchronous writes are not built yet. Leave `mode` out, or set it to `synchronous`.",
  });

async function writeNow(on: WriteServices, target: WriteTarget, plan: WritePlan) {
  const { queries } = on.database;
  const { integration, installation, connection, connector } = target;
  const operation = {
    id: newId(),
    projectId: installation.projectId,
    integrationId: integration.id,
    installationId: installation.id,
    configId: installation.config.id,
    actionType: "write",
    objectName: plan.objectName,
  };
  // Before the provider is called: what may have happened there must be traceable here.
  await insertOperation(queries, operation);
  const log: LogEntry[] = [planned(plan)];
  const fetch = authorizedFetch(on, connection, {
    connector,
    timeoutMs: on.providerTimeoutMs,
    onExchange: ({ method, path, status, failure }) =>
      log.push({ severity: "DEBUG", msg: `${method} ${path} → ${status ?? failure}` }),
  });
  const execution = await execute(plan, connector.write, fetch).catch(async (error: unknown) => {
    log.push({ severity: "ERROR", msg: "Busbar failed while writing", error: String(error) });
    await endOperation(queries, {
      id: operation.id,
      status: "failure",
      result: `[${plan.objectName}] Internal error`,
      metadata: {},
      log,
    });
    throw error;
  });
  await endOperation(queries, {
    id: operation.id,
    ...summary(execution),
    log: [...log, ...outcomeEntries(execution)],
  });
  if (execution.outcomes.some((outcome) => outcome.success) && connection.status === "created") {
    await markConnectionWorking(queries, connection.projectId, connection.id);
  }
  return answerOf(operation.id, execution);
}

function planned(plan: WritePlan): LogEntry {
  const withheld = plan.records.flatMap((record, index) =>
    record.withheld.map(
      ({ field, reason }) => [plan.batch ? `batch[${index}].${field}` : field, reason] as const,
    ),
  );
  const count = plan.records.length;
  return {
    severity: "INFO",
    msg: `${plan.type} ${count} ${plan.objectName} record${count === 1 ? "" : "s"}; ${withheld.length} field${withheld.length === 1 ? "" : "s"} withheld`,
    details: Object.fromEntries(withheld),
  };
}

function outcomeEntries({ outcomes, warnings, plan }: Execution): LogEntry[] {
  const failures = outcomes.flatMap((outcome, index): LogEntry[] => {
    if (outcome.success) return [];
    const { kind, message, code } = outcome.error;
    const details = { kind, ...(code && { code }) };
    return [
      {
        severity: "ERROR",
        msg: plan.batch ? `batch[${index}] failed` : "The write failed",
        error: message,
        details,
      },
    ];
  });
  return [...warnings.map((msg): LogEntry => ({ severity: "WARNING", msg })), ...failures];
}

/** Status, text and metadata of the operation. A batch that was written in part has succeeded. */
function summary(execution: Execution): {
  status: "success" | "failure";
  result: string;
  metadata: JsonObject;
} {
  const { plan, outcomes } = execution;
  const ids = outcomes.flatMap((outcome) => (outcome.success && outcome.recordId ? [outcome.recordId] : []));
  const succeeded = outcomes.filter((outcome) => outcome.success).length;
  const failed = outcomes.length - succeeded;
  const first = outcomes.flatMap((outcome) => (outcome.success ? [] : [outcome.error.message]))[0];
  const counts = `Batch write completed (${succeeded} succeeded, ${failed} failed)`;
  const text = plan.batch
    ? counts
    : failed
      ? `Error writing to provider: ${first}`
      : `${PAST[plan.type]} 1 record`;
  return {
    status: succeeded > 0 ? "success" : "failure",
    result: `[${plan.objectName}] ${plan.batch && succeeded === 0 && first ? `${text}: ${first}` : text}`,
    metadata: { objects: [plan.objectName], successfulRecordIds: ids },
  };
}

const PAST = { create: "Created", update: "Updated", delete: "Deleted" } as const;
