/** POST …/objects/{objectName} of the read API: reads an object's records now, or shows how they would be read. */
import type { CustomerShards } from "../../operations/customer-shards.ts";
import { seesEveryGroup, toCallActor } from "../../access/actor.ts";
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { now } from "../../../ground/clock.ts";
import { addWorkIds } from "../../../ground/current-work.ts";
import { newId } from "../../../ground/ids.ts";
import { suggestDestination } from "../../deliver/destinations/suggest-destination.ts";
import { Page, projectEndpoint } from "../../http/endpoint.ts";
import type { Idempotency } from "../../operations/idempotency.ts";
import { findDestination } from "../../store/deliveries/destinations.ts";
import { beginTriggeredRead, type TriggerServices } from "../schedule/begin-triggered-read.ts";
import { dryRunRead, ReadDryRunSchema, type DryRunServices } from "./dry-run-read.ts";
import { findReadableObject, refuseObject, type ReadableObject } from "../definition/installed-object.ts";
import { resolveSpan } from "../definition/read-span.ts";
import { describeTime } from "../../../ground/described.ts";

export type TriggerReadServices = TriggerServices &
  DryRunServices & { catalog: Catalog; idempotency: Idempotency };

const ReadRequest = Type.Object({
  groupRef: Type.String({ minLength: 1, description: "Your own id for the customer." }),
  mode: Type.Literal("async", { description: "The records are delivered to a destination." }),
  sinceTimestamp: Type.Optional(describeTime("Read only records changed since this time. Default: all.")),
  untilTimestamp: Type.Optional(
    describeTime("Read only records changed until this time. Default, and at most: now."),
  ),
});

const REFUSALS = {
  400: "The request does not match this description, the object is not read or disabled, or its destination is missing or disabled.",
  409: "The first request with this `Idempotency-Key` is still running.",
  422: "The `Idempotency-Key` was used for a different request. With `dryRun`: the provider refused.",
  429: "Ten triggered reads of the object are not over. With `dryRun`: the provider's rate limit is reached.",
  502: "With `dryRun`: the provider could not be reached.",
  504: "With `dryRun`: the provider did not respond in time.",
};

export const triggerRead = ({ shards }: { shards: CustomerShards<TriggerReadServices> }) =>
  projectEndpoint({
    operationId: "triggerRead",
    tag: "Read",
    summary: "Read the records of an object",
    description:
      "Reads records of the customer's account in the background and delivers them to the object's destination. The " +
      "object must be in the manifest's `read`; it need not have a schedule. The object's filters apply. Scheduled " +
      "reads go on beside it, also from where they were. Triggered reads of one object run one after another; with ten " +
      "that are not over, another one is refused with 429. The operation shows progress and log, and the events " +
      "`read.triggered.done` and `read.triggered.error` its end. With the header `Idempotency-Key` a repeated request " +
      "gets the first answer again, for 24 hours.",
    params: Type.Object({
      integrationId: Type.String({ description: "Id or name of the integration." }),
      objectName: Type.String({
        description: "Name of the object, mapped or the provider's; may hold slashes.",
      }),
    }),
    query: Type.Object({
      dryRun: Type.Optional(
        Type.Boolean({
          description:
            "Busbar's own: shows the first request to the provider and the estimated number of records, and starts nothing.",
        }),
      ),
    }),
    headers: {
      "Idempotency-Key":
        "Up to 255 characters that you choose: a repeated request gets the first answer again, for 24 hours.",
    },
    body: ReadRequest,
    success: {
      status: 201,
      description: "The read operation.",
      schema: Type.Object({
        operationId: Type.String({ format: "uuid", description: "Id of the operation." }),
      }),
    },
    otherAnswers: { 200: { description: "With `dryRun`.", schema: ReadDryRunSchema } },
    refusals: REFUSALS,
    async handle({ caller, project, params, query, body, headers, requestId }) {
      const { objectName } = params;
      const deps = await shards.chooseByGroup(project.id, body.groupRef);
      const object = await findReadableObject(deps, {
        projectId: project.id,
        integration: params.integrationId,
        groupRef: body.groupRef,
        objectName,
        in: "path",
        seesGroups: seesEveryGroup(caller),
      });
      const span = resolveSpan(body, now());
      await requireDestination(deps, object, objectName);
      if (query.dryRun) return asOkay(await dryRunRead(deps, object, span));
      const { installation } = object.installed;
      addWorkIds({ installationId: installation.id, connectionId: installation.connectionId });
      const begin = async (operationId: string) => {
        addWorkIds({ operationId });
        await beginTriggeredRead(deps, { operationId, requestId, actor: toCallActor(caller), object, span });
        return { operationId };
      };
      const key = headers["idempotency-key"];
      if (key === undefined) return begin(newId());
      const request = [params, body];
      return deps.idempotency.once({ projectId: project.id, key, request, mode: "later" }, begin);
    },
  });

/** Throws a 400 Problem unless the object's destination takes messages. */
async function requireDestination(
  { database }: TriggerServices,
  { installed, definition }: ReadableObject,
  objectName: string,
): Promise<void> {
  const { destination } = definition;
  const named = { in: "path" as const, objectName };
  if (destination === "") {
    const detail = `Neither configuration nor manifest names a destination for \`${objectName}\`.`;
    throw refuseObject(named, detail, "Set `destination` for the object.");
  }
  const row = await findDestination(database.control, installed.integration.projectId, destination);
  if (!row) {
    const detail = `There is no destination \`${destination}\`, where records of \`${objectName}\` go.`;
    const { projectId } = installed.integration;
    const otherwise = "Create it, or name another one.";
    throw refuseObject(
      named,
      detail,
      await suggestDestination(database.control, projectId, destination, otherwise),
    );
  }
  if (row.disabledTime) {
    const detail = `The destination \`${destination}\`, where records of \`${objectName}\` go, is disabled.`;
    throw refuseObject(named, detail, "Enable it, or name another one.");
  }
}

const asOkay = (answer: object): Page =>
  new Page(JSON.stringify(answer), { status: 200, headers: {}, mediaType: "application/json" });
