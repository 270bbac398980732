/** The write endpoint: plans one record or a batch, then writes it, accepts it for later, or shows it (dry run). */
import { Type } from "typebox";
import { addWorkIds } from "../../ground/current-work.ts";
import { seesEveryGroup, toCallActor } from "../access/actor.ts";
import { newId } from "../../ground/ids.ts";
import { runInSpan } from "../../ground/span.ts";
import { projectEndpoint } from "../http/endpoint.ts";
import { RefusedWriteSchema, WriteAnswerSchema } from "./write-response.ts";
import { findStoredAccount, dryRun, DryRunSchema } from "./dry-run.ts";
import { findTarget, type WriteTargetServices } from "./find-target.ts";
import type { Idempotency } from "../operations/idempotency.ts";
import type { CustomerShards } from "../operations/customer-shards.ts";
import { planWrite } from "./plan-write.ts";
import { writeLater, type WriteLaterServices } from "./queue/write-later.ts";
import { writeNow, type WriteNowServices } from "./write-now.ts";
import { WriteRequestSchema, type WriteRequest } from "./write-request.ts";
import { describeWriteWork } from "./write-span.ts";

export type WriteServices = WriteTargetServices &
  WriteNowServices &
  WriteLaterServices & { idempotency: Idempotency };

export const writeRecords = ({ shards }: { shards: CustomerShards<WriteServices> }) =>
  projectEndpoint({
    operationId: "writeRecords",
    tag: "Write",
    summary: "Write records",
    description:
      "Creates, updates, upserts or deletes a record, or up to 100 of them, in the customer's account. `synchronous` waits for " +
      "the provider and returns the record as it is after the write. `asynchronous` commits the write, returns its " +
      "`operationId` and retries until the deadline. If the provider refuses, the answer is 422, and its body is both " +
      "the Problem and the result; if at least one record of a batch was written, the answer is 200. While the " +
      "connection is rate limited, a synchronous write is not sent and refused with 429, like the provider's own " +
      "refusal. With the header `Idempotency-Key` a repeated request gets the first answer again, for " +
      "24 hours.",
    params: Type.Object({
      integrationId: Type.String({ description: "Id or name of the integration." }),
      objectName: Type.String({ description: "Name of the object as in the manifest; may hold slashes." }),
    }),
    query: Type.Object({
      dryRun: Type.Optional(
        Type.Boolean({
          description:
            "Busbar's own: shows the requests to the provider and the withheld fields, and sends nothing.",
        }),
      ),
    }),
    headers: {
      "Idempotency-Key":
        "Up to 255 characters that you choose: a repeated request gets the first answer again, for 24 hours.",
    },
    body: WriteRequestSchema,
    success: {
      status: 200,
      description: "Written, accepted, or shown.",
      schema: Type.Union([WriteAnswerSchema, DryRunSchema]),
    },
    refusals: {
      409: "The first request with this `Idempotency-Key` is still running.",
      429: "The provider's rate limit is reached, and nothing was written.",
      422: "No record was written; the body is both Problem and result. Or the `Idempotency-Key` was used for a different request.",
      502: "The provider could not be reached, or its answer could not be understood: look the record up at the provider.",
      504: "The provider did not answer in time: look the record up at the provider.",
    },
    refusalMembers: RefusedWriteSchema,
    async handle({ caller, project, params, query, body, headers, requestId }) {
      const deps = await shards.chooseByGroup(project.id, body.groupRef);
      const { integrationId: integration, objectName } = params;
      const asked = { projectId: project.id, integration, objectName, groupRef: body.groupRef };
      const target = await findTarget(deps, { ...asked, seesGroups: seesEveryGroup(caller) });
      const { installation, connector } = target;
      addWorkIds({ installationId: installation.id, connectionId: installation.connectionId });
      const plan = planWrite(body, target.settings, connector.write.abilities);
      if (query.dryRun) return dryRun(target, plan, await findStoredAccount(deps, installation));
      const later = body.mode === "asynchronous" && plan.type !== "delete";
      const mode = chooseMode(body, later);
      const key = headers["idempotency-key"];
      const write = (id: string, firstId = id) => {
        const begun = { id, firstId, requestId, actor: toCallActor(caller), key };
        addWorkIds({ operationId: id });
        return runInSpan(describeWriteWork(target, plan, { id, isQueued: later }), async () =>
          later ? writeLater(deps, begun, target, plan, body) : writeNow(deps, begun, target, plan),
        );
      };
      if (key === undefined) return write(newId());
      const keyed = { projectId: project.id, key, request: [params, body], mode, storesAnswer: !later };
      return deps.idempotency.once({ ...keyed, repeatableMs: connector.write.repeatableMs?.(plan) }, write);
    },
  });

const chooseMode = ({ autoBatchPolicy }: WriteRequest, later: boolean): "grouped" | "later" | "now" =>
  later ? (autoBatchPolicy ? "grouped" : "later") : "now";
