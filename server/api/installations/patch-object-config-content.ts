/** PATCH /v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}/config-content */
import { Type, type Static } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { suggestName } from "../../../ground/closest.ts";
import { formatName } from "../../../manifest/config-issue.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import { findInstallationOfGroup } from "../../store/integrations/installations.ts";
import type { Integration } from "../integration.ts";
import { IntegrationIdOrName, ObjectName } from "../members.ts";
import {
  changeInstallation,
  type InstallationChange,
  type ChangeServices,
  type Situation,
} from "./change-installation.ts";
import { checkConfigChange, isWithin } from "./check-config-content.ts";
import { getInstallationRow, InstallationSchema } from "./installation.ts";
import { applyPatch, PatchError, parsePointer, type PatchOperation } from "./json-patch.ts";
import { ACTIONS, findObjectKey, getValueAt, withValueAt } from "./config-mask.ts";
import { withWriteMap } from "./write-map.ts";

const RequestSchema = Type.Object({
  groupRef: Type.Optional(
    Type.String({ description: "Your own id for the customer. Alternative: `installationId`." }),
  ),
  installationId: Type.Optional(
    Type.String({ description: "Id of the installation, as an alternative to `groupRef`." }),
  ),
  action: Type.Enum([...ACTIONS], { description: "Part of the object's configuration to change." }),
  changes: Type.Array(
    Type.Object({
      op: Type.Enum(["add", "replace", "remove"], {
        description: "`add` sets a member, `replace` changes an existing one, `remove` deletes it.",
      }),
      path: Type.String({
        description: "JSON Pointer in the object's configuration, for example `/deletionSettings`.",
      }),
      value: Type.Optional(Type.Unknown({ description: "The new value. Not allowed for `remove`." })),
    }),
    { minItems: 1, maxItems: 1_000, description: "Changes in order (JSON Patch, RFC 6902)." },
  ),
});

type Request = Static<typeof RequestSchema>;

export const patchObjectConfigContent = (deps: ChangeServices) =>
  projectEndpoint({
    operationId: "patchObjectConfigContent",
    tag: "Installations",
    summary: "Patch the configuration of one object",
    description:
      "Applies JSON Patch operations (RFC 6902: `add`, `replace`, `remove`) to " +
      "`config.content.<action>.objects.<name>`, all or none. `add` replaces an existing value; `replace` " +
      "and `remove` need one. The result is checked against the latest revision and saved as a new " +
      "configuration.",
    params: Type.Object({ integrationId: IntegrationIdOrName, objectName: ObjectName }),
    body: RequestSchema,
    success: { status: 200, description: "The installation as it is now.", schema: InstallationSchema },
    refusals: { 422: "The changed configuration does not fit the manifest or the account." },
    async handle({ project, params, body, caller }) {
      return changeInstallation(
        deps,
        {
          projectId: project.id,
          integrationId: params.integrationId,
          caller,
          operation: "patch-object-config-content",
        },
        (queries, integration) => findTarget(queries, integration, body),
        async (situation) => decide(deps.catalog, situation, params.objectName, body),
      );
    },
  });

/** Throws a 400 Problem unless exactly one of the two members is given, and 404 if there is no such installation. */
async function findTarget(
  queries: SharedQueries,
  integration: Integration,
  { groupRef, installationId }: Request,
): Promise<{ id: string }> {
  if ((groupRef === undefined) === (installationId === undefined)) {
    const detail = "Send exactly one of `groupRef` and `installationId`.";
    const name = groupRef === undefined ? "groupRef" : "installationId";
    throw new Problem("invalid-request", { detail, issues: [{ in: "body", name, detail }] });
  }
  const { id, projectId } = integration;
  if (installationId !== undefined) return getInstallationRow(queries, projectId, id, installationId);
  const found = await findInstallationOfGroup<ConfigContent>(queries, projectId, id, groupRef ?? "");
  if (found) return found;
  throw new Problem("not-found", {
    detail: `The group \`${groupRef}\` has not installed \`${integration.name}\`.`,
  });
}

function decide(
  catalog: Catalog,
  { integration, installation }: Situation,
  objectName: string,
  { action, changes }: Request,
): InstallationChange {
  refuseUnknownObject(integration, action, objectName);
  const stored: unknown = installation.config.content;
  const before: JsonObject = isJsonObject(stored) ? stored : {};
  const place = [action, "objects", objectName];
  const operations = changes.map(({ op, path, value }) => ({ op, path, value: value as Json | undefined }));
  const patched = patch(getValueAt(before, place) ?? { objectName }, operations, objectName);
  const after = patched === undefined ? omitObject(before, action, objectName) : withObject(patched);
  const touched = [formatName(place)];
  const content = checkConfigChange(catalog, integration, { before, after, touched }, (issue) =>
    withOperation(issue, place, operations),
  );
  return { config: { content } };

  function withObject(object: Json): JsonObject {
    return withValueAt(action === "write" ? withWriteMap(before, integration) : before, place, object);
  }
}

function refuseUnknownObject(integration: Integration, action: Request["action"], objectName: string): void {
  const names = (integration.latestRevision.content[action]?.objects ?? []).map(
    (object) => object.objectName,
  );
  if (names.includes(objectName)) return;
  const otherwise =
    names.length > 0 ? `It has ${names.slice(0, 10).join(", ")}.` : `It has no ${action} objects.`;
  const detail = `\`${integration.name}\` has no ${action} object \`${objectName}\`. ${suggestName(objectName, names, otherwise)}`;
  throw new Problem("invalid-request", {
    detail,
    issues: [{ in: "path", name: "objectName", detail, value: objectName }],
  });
}

/** Returns the object's changed configuration, or undefined if it was removed. Throws a 400 Problem. */
function patch(object: Json, operations: PatchOperation[], objectName: string): Json | undefined {
  try {
    const patched = applyPatch(object, operations);
    if (!isJsonObject(patched) || (patched["objectName"] ?? objectName) === objectName) return patched;
    const index = operations.findLastIndex(({ path }) => path === "" || path === "/objectName");
    throw new PatchError(index, "path", `\`objectName\` must stay \`${objectName}\`.`);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const { index, member, message } = error;
    const name = `changes[${index}].${member}`;
    throw new Problem("invalid-request", {
      detail: `${name}: ${message} Nothing was changed.`,
      issues: [{ in: "body", name, detail: message, value: operations[index]?.[member] }],
      cause: error,
    });
  }
}

function omitObject(content: JsonObject, action: Request["action"], objectName: string): JsonObject {
  const objects = getValueAt(content, [action, "objects"]);
  if (!isJsonObject(objects)) return content;
  const key = findObjectKey(objects, objectName);
  const rest = Object.fromEntries(Object.entries(objects).filter(([name]) => name !== key));
  return withValueAt(content, [action, "objects"], rest);
}

/** Adds the operation that most likely caused the issue: the last one at, above or below its place. */
function withOperation(issue: Issue, place: string[], operations: PatchOperation[]): Issue {
  const operation = operations.findLastIndex(({ path }) => {
    const changed = formatName([...place, ...(parsePointer(path) ?? [])]);
    return isWithin(issue.name, changed) || isWithin(changed, issue.name);
  });
  if (operation === -1) return issue;
  return { ...issue, detail: `${issue.detail} (\`changes[${operation}]\`)`, operation };
}
