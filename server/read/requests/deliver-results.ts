/** POST …/objects/{objectName}:deliverResults: releases held messages of an object that is delivered on request. */
import type { CustomerShards } from "../../operations/customer-shards.ts";
import { Type } from "typebox";
import { seesEveryGroup } from "../../access/actor.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { deliverHeld } from "../../store/deliveries/held-messages.ts";
import {
  findInstalledObject,
  refuseObject,
  type InstalledObject,
  type ObjectServices,
} from "../definition/installed-object.ts";
import type { ReadDefinition } from "../definition/read-definition.ts";

const MAX_PAGES = 1_000_000;

export const deliverResults = ({ shards }: { shards: CustomerShards<ObjectServices> }) =>
  projectEndpoint({
    operationId: "deliverResults",
    tag: "Read",
    summary: "Deliver held messages",
    description:
      "For objects with `delivery.mode: onRequest`, whose messages are held. Delivers up to `pages` messages, the " +
      "oldest first. If fewer are held, the rest is delivered as it is read. Requests add up. Messages that are not " +
      "requested in time are dropped, with a warning in the log of their operation. Deprecated in the public API.",
    params: Type.Object({
      integrationId: Type.String({ description: "Id or name of the integration." }),
      objectName: Type.String({
        description: "Name of the object, mapped or the provider's; may hold slashes.",
      }),
    }),
    body: Type.Object({
      groupRef: Type.String({ minLength: 1, description: "Your own id for the customer." }),
      pages: Type.Integer({ minimum: 0, maximum: MAX_PAGES, description: "Maximum number of messages." }),
    }),
    success: { status: 204, description: "The messages will be delivered asynchronously." },
    async handle({ caller, project, params, body }) {
      const deps = await shards.chooseByGroup(project.id, body.groupRef);
      const found = await findInstalledObject(deps, {
        projectId: project.id,
        integration: params.integrationId,
        groupRef: body.groupRef,
        objectName: params.objectName,
        in: "path",
        seesGroups: seesEveryGroup(caller),
      });
      const { objectName } = requireOnRequest(found, params.objectName);
      const object = { installationId: found.installed.installation.id, objectName };
      await deliverHeld(deps.database.data, object, body.pages);
    },
  });

function requireOnRequest({ definition }: InstalledObject, objectName: string): ReadDefinition {
  if (definition.delivery.mode === "onRequest") return definition;
  throw refuseObject(
    { in: "path", objectName },
    `Messages with \`${objectName}\` are delivered as they are read.`,
    "Set `delivery.mode: onRequest` in the manifest to hold them.",
  );
}
