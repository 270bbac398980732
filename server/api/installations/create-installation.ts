/** POST /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations */
import { Type } from "typebox";
import { buildInstallationCreated } from "../../events/new-events.ts";
import { queueEvent } from "../../events/record-event.ts";
import { Problem } from "../../../ground/errors.ts";
import type { Json } from "../../../ground/json.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { ConfigInputSchema } from "../../../manifest/installation-config.ts";
import { seesEveryGroup } from "../../access/actor.ts";
import { upsertGroup } from "../../store/access/customers.ts";
import { isUniqueViolation, transactControl } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { getInstallationFields } from "../../store/deliveries/events.ts";
import { findInstallationOfGroup, insertInstallation } from "../../store/integrations/installations.ts";
import { showCreatedBy } from "../created-by.ts";
import { getIntegrationRow } from "../integration.ts";
import { GroupRef, IntegrationIdOrName } from "../members.ts";
import type { AccountServices } from "./account-fields.ts";
import { checkAccount } from "./check-account.ts";
import { checkConfigContent } from "./check-config-content.ts";
import { showChangedInstallation } from "./expect-destinations.ts";
import {
  getInstallationRow,
  InstallationSchema,
  SkipSampling,
  withWarnings,
  type InstallationWarning,
} from "./installation.ts";
import { requireKnownDestinations } from "./known-destinations.ts";
import { getUsableConnection } from "./get-usable-connection.ts";

const RequestSchema = Type.Object({
  groupRef: GroupRef,
  connectionId: Type.Optional(
    Type.String({
      description: "Id of the customer's connection. Default: the group's connection to the provider.",
    }),
  ),
  config: Type.Object(
    {
      revisionId: Type.Optional(Type.String({ description: "Ignored: the latest revision is used." })),
      createdBy: Type.Optional(
        Type.String({ description: "Who saved the configuration, for example `consumer:ada`." }),
      ),
      content: Type.Unknown({ shownAs: ConfigInputSchema, description: "The customer's configuration." }),
    },
    { description: "The customer's configuration." },
  ),
});

export const createInstallation = (deps: AccountServices) =>
  projectEndpoint({
    operationId: "createInstallation",
    tag: "Installations",
    summary: "Create an installation",
    description:
      "Installs an integration for a group. Without `connectionId`, the group's connection to the provider " +
      "is used. The configuration is checked against the latest revision; the objects that are read and subscribed to, and the " +
      "fields that it selects, maps or filters by, against those of the account, if the account can be read. One record of each object with a schedule is " +
      "read as a sample. A group has one installation per integration.",
    params: Type.Object({ integrationId: IntegrationIdOrName }),
    query: Type.Object({ skipSampling: SkipSampling }),
    body: RequestSchema,
    success: { status: 201, description: "The installation.", schema: InstallationSchema },
    refusals: {
      409: "The group has already installed this integration.",
      422: "The configuration does not fit the manifest or the account, the provider refuses the sample, or the connection belongs to another provider or group.",
    },
    async handle({ project, params, query, body, caller }) {
      const { groupRef, config, connectionId } = body;
      const createdBy = showCreatedBy(caller, config.createdBy, "create-installation");
      const check = async (queries: ControlQueries) => {
        const integration = await getIntegrationRow(queries, project.id, params.integrationId);
        const asked = { groupRef, connectionId, seesGroups: seesEveryGroup(caller) };
        const connection = await getUsableConnection(queries, integration, asked);
        const content = checkConfigContent(deps.catalog, integration, config.content as Json);
        await requireKnownDestinations(queries, integration, { after: content });
        return { integration, connection, content };
      };
      let warnings: InstallationWarning[] = [];
      if (!query.skipSampling) {
        const { integration, connection, content } = await check(deps.database.control);
        // Before the provider is asked for what nobody will use.
        const existing = await findInstallationOfGroup(
          deps.database.data,
          project.id,
          integration.id,
          groupRef,
        );
        if (existing) throw refuseSecondInstallation(groupRef, existing);
        warnings = await checkAccount(deps, integration, { connectionId: connection.id, after: content });
      }
      try {
        const created = await transactControl(deps.database, async (queries) => {
          const { integration, connection, content } = await check(queries);
          const group = await upsertGroup(queries, { projectId: project.id, groupRef });
          const { id } = await insertInstallation(queries, {
            projectId: project.id,
            integrationId: integration.id,
            groupId: group.id,
            connectionId: connection.id,
            createdBy,
            revisionId: integration.latestRevision.id,
            content,
          });
          const row = await getInstallationRow(queries, project.id, integration.id, id);
          const fields = await getInstallationFields(queries, id);
          await queueEvent(queries, buildInstallationCreated(fields, row.config.content));
          return row;
        });
        return withWarnings(await showChangedInstallation(deps, created), warnings);
      } catch (error) {
        if (!isUniqueViolation(error, "installations_integration_id_group_id_key")) throw error;
        const integration = await getIntegrationRow(deps.database.control, project.id, params.integrationId);
        const { control } = deps.database;
        const existing = await findInstallationOfGroup(control, project.id, integration.id, groupRef);
        throw refuseSecondInstallation(groupRef, existing, error);
      }
    },
  });

const refuseSecondInstallation = (
  groupRef: string,
  existing: { id: string } | undefined,
  cause?: unknown,
): Problem =>
  new Problem("conflict", {
    detail: `The group \`${groupRef}\` has installed this integration already${existing ? `: installation ${existing.id}` : ""}. Update that installation.`,
    cause,
  });
