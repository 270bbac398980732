/** PATCH /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId} */
import { Type, type Static } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { ConfigInputSchema } from "../../../manifest/installation-config.ts";
import { formatName } from "../../../manifest/config-issue.ts";
import { InstallationId, IntegrationIdOrName } from "../members.ts";
import {
  changeInstallation,
  type InstallationChange,
  type ChangeServices,
  type Situation,
} from "./change-installation.ts";
import { checkConfigChange } from "./check-config-content.ts";
import { getInstallationRow, InstallationSchema, SkipSampling } from "./installation.ts";
import {
  findObjectKey,
  MASK_FORMS,
  readMaskPath,
  getValueAt,
  withValueAt,
  type ConfigAction,
  type MaskTarget,
} from "./config-mask.ts";
import { getUsableConnection } from "./get-usable-connection.ts";
import { withWriteMap } from "./write-map.ts";

const RequestSchema = Type.Object({
  updateMask: Type.Array(Type.String(), {
    maxItems: 1_000,
    description: `What to change: ${MASK_FORMS}. Dots in names are escaped with a backslash.`,
  }),
  installation: Type.Object(
    {
      connectionId: Type.Optional(
        Type.String({ description: "Id of another connection of the group to the same provider." }),
      ),
      config: Type.Optional(
        Type.Object(
          {
            revisionId: Type.Optional(Type.String({ description: "Ignored: the latest revision is used." })),
            createdBy: Type.Optional(
              Type.String({ description: "Who saved the configuration, for example `consumer:ada`." }),
            ),
            content: Type.Optional(
              Type.Unknown({ shownAs: ConfigInputSchema, description: "The customer's configuration." }),
            ),
          },
          { description: "The customer's configuration." },
        ),
      ),
    },
    { description: "New values of the members listed in `updateMask`." },
  ),
});

type Request = Static<typeof RequestSchema>;

export const updateInstallation = (deps: ChangeServices) =>
  projectEndpoint({
    operationId: "updateInstallation",
    tag: "Installations",
    summary: "Update an installation",
    description:
      "Changes only what `updateMask` lists; other members of the body are ignored. Objects and maps of " +
      "objects are replaced as a whole. The result is checked against the latest revision, changed fields also against " +
      "the account, and saved as a new configuration. While the configuration has no write objects, all write objects of the manifest " +
      "are enabled; a change that adds the first one adds the others as well.",
    params: Type.Object({ integrationId: IntegrationIdOrName, installationId: InstallationId }),
    query: Type.Object({ skipSampling: SkipSampling }),
    body: RequestSchema,
    success: { status: 200, description: "The installation as it is now.", schema: InstallationSchema },
    refusals: {
      422: "The configuration does not fit the manifest or the account, or the connection belongs to another provider or group.",
    },
    handle: ({ project, params, query, body, caller }) =>
      changeInstallation(
        deps,
        {
          projectId: project.id,
          integrationId: params.integrationId,
          caller,
          operation: "update-installation",
          skipSampling: query.skipSampling,
        },
        (queries, { id }) => getInstallationRow(queries, project.id, id, params.installationId),
        (situation) => decide(deps.catalog, situation, body),
      ),
  });

async function decide(catalog: Catalog, situation: Situation, body: Request): Promise<InstallationChange> {
  const { queries, integration, installation } = situation;
  const targets = readMask(situation, body);
  const { connectionId, config } = body.installation;
  const change: InstallationChange = {};
  if (targets.some(({ kind }) => kind === "connectionId")) {
    const asked = { groupRef: installation.groupRef, connectionId, member: "installation.connectionId" };
    change.connectionId = (await getUsableConnection(queries, integration, asked)).id;
  }
  const paths = targets.flatMap((target) => (target.kind === "content" ? [target.path] : []));
  const createdBy = targets.some(({ kind }) => kind === "createdBy") ? config?.createdBy : undefined;
  if (paths.length === 0 && createdBy === undefined) return change;
  const before = readContent(installation.config.content);
  const after = paths.reduce((content, path) => apply(situation, content, path, body), before);
  const touched = paths.map((path) => formatName(path));
  const content = checkConfigChange(catalog, integration, { before, after, touched });
  return { ...change, config: { content, createdBy } };
}

/** Returns the targets of all paths. Throws a 400 Problem with one issue per invalid path or missing value. */
function readMask(situation: Situation, body: Request): MaskTarget[] {
  const knows = listKnownObjects(situation, body);
  const issues: Issue[] = [];
  const targets: MaskTarget[] = [];
  for (const [index, path] of body.updateMask.entries()) {
    const target = readMaskPath(path, knows);
    const name = `updateMask[${index}]`;
    if (!target) {
      const detail = `\`${path}\` is not a path that can be updated, or names an unknown object.`;
      issues.push({ in: "body", name, detail, value: path, remedy: `Use one of: ${MASK_FORMS}.` });
    } else if (chooseValue(target, body) === undefined) {
      const detail = `\`installation\` has no value at \`${path}\`.`;
      issues.push({ in: "body", name, detail, value: path, remedy: "Send the value, or drop the path." });
    } else targets.push(target);
  }
  const [first] = issues;
  if (!first) return targets;
  throw new Problem("invalid-request", { detail: `${first.name}: ${first.detail}`, issues });
}

/** Returns the objects of the manifest, of the current configuration and of the request. */
function listKnownObjects(
  { integration, installation }: Situation,
  body: Request,
): (action: ConfigAction, name: string) => boolean {
  const contents = [readContent(installation.config.content), readContent(body.installation.config?.content)];
  return (action, name) =>
    (integration.latestRevision.content[action]?.objects ?? []).some(
      ({ objectName }) => objectName === name,
    ) ||
    contents.some((content) => {
      const objects = getValueAt(content, [action, "objects"]);
      return isJsonObject(objects) && Object.hasOwn(objects, findObjectKey(objects, name));
    });
}

function chooseValue(target: MaskTarget, { installation }: Request): Json | undefined {
  if (target.kind === "connectionId") return installation.connectionId || undefined;
  if (target.kind === "createdBy") return installation.config?.createdBy || undefined;
  const { content } = installation.config ?? {};
  if (target.path.length === 0) return isJsonObject(content) ? content : undefined;
  return getValueAt(readContent(content), target.path);
}

function apply(
  { integration }: Situation,
  content: JsonObject,
  path: readonly string[],
  body: Request,
): JsonObject {
  if (path.length === 0) return readContent(body.installation.config?.content);
  const value = getValueAt(readContent(body.installation.config?.content), path);
  if (value === undefined) return content;
  const start = path[0] === "write" && path.length > 2 ? withWriteMap(content, integration) : content;
  return withValueAt(start, path, value);
}

const readContent = (content: unknown): JsonObject => (isJsonObject(content) ? content : {});
