/** POST …/objects/{objectName}:deliverResults: releases held messages of an object that is delivered on request. */
import { Type } from "typebox";
import { Problem, type Issue } from "../ground/errors.ts";
import { projectEndpoint } from "../http/endpoint.ts";
import type { InstallationCache, Installed } from "../operations/installation-cache.ts";
import type { Database } from "../store/database.ts";
import { deliverHeld } from "../store/held-messages.ts";
import { findReadDefinition, type ReadDefinition } from "./read-definition.ts";

const MOST_PAGES = 1_000_000;

export const deliverResults = (deps: { database: Database; installations: InstallationCache }) =>
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
      pages: Type.Integer({ minimum: 0, maximum: MOST_PAGES, description: "Maximum number of messages." }),
    }),
    success: { status: 204, description: "The messages will be delivered asynchronously." },
    async handle({ project, params, body }) {
      const installed = await deps.installations.ofGroup(project.id, params.integrationId, body.groupRef);
      if (!installed) throw notInstalled(params.integrationId, body.groupRef);
      const { objectName } = requireOnRequest(installed, params.objectName);
      const object = { installationId: installed.installation.id, objectName };
      await deliverHeld(deps.database.queries, object, body.pages);
    },
  });

function requireOnRequest({ integration, installation }: Installed, name: string): ReadDefinition {
  const revisions = [integration.latestRevision.content];
  const definition = findReadDefinition(revisions, installation.config.content, name);
  if (!definition) {
    throw refuse(
      name,
      `The integration \`${integration.name}\` does not read \`${name}\`. Name an object of its manifest's \`read\`.`,
    );
  }
  if (definition.delivery.mode === "onRequest") return definition;
  throw refuse(
    name,
    `Messages with \`${name}\` are delivered as they are read. Set \`delivery.mode: onRequest\` in the manifest to hold them.`,
  );
}

function refuse(objectName: string, detail: string): Problem {
  const issue: Issue = { in: "path", name: "objectName", detail, value: objectName };
  return new Problem("invalid-request", { detail, issues: [issue] });
}

const notInstalled = (integration: string, groupRef: string): Problem =>
  new Problem("not-found", {
    detail: `There is no integration \`${integration}\`, or the group \`${groupRef}\` has not installed it. Check both, and create an installation first.`,
  });
