/** POST /v1/projects/{projectIdOrName}/connections/{connectionId}:check */
import { Type } from "typebox";
import { checkCredentials, type CheckServices } from "../../calls/check-credentials.ts";
import { described } from "../../../ground/described.ts";
import { now } from "../../../ground/clock.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { findProviderApp } from "../../store/provider-apps.ts";
import { ConnectionId } from "../members.ts";
import { ConnectionSchema, getConnectionRow, toConnection } from "./connection.ts";

const CheckSchema = Type.Object(
  {
    time: Type.String({ format: "date-time", description: "When it was checked." }),
    working: Type.Boolean({ description: "Whether the credentials work." }),
    detail: Type.Optional(Type.String({ description: "What was found out." })),
  },
  { title: "ConnectionCheck", description: "The result of the check." },
);

export const checkConnection = (deps: CheckServices) =>
  projectEndpoint({
    operationId: "checkConnection",
    tag: "Connections",
    summary: "Check a connection",
    description:
      "Calls the provider's health check with the credentials; an OAuth token is refreshed if it was refused, or if the " +
      "provider has no health check. `status` follows: `working`, or `bad_credentials`. Answers 200 whatever came of it.",
    role: "support",
    params: Type.Object({ connectionId: ConnectionId }),
    success: {
      status: 200,
      description: "The connection, without secrets, and the result of the check.",
      schema: Type.Object({
        ...ConnectionSchema.properties,
        check: described(CheckSchema, "What the check found out."),
      }),
    },
    async handle({ project, params }) {
      const { queries } = deps.database;
      const { id } = await getConnectionRow(queries, project.id, params.connectionId);
      const time = now().toISOString();
      const check = await checkCredentials(deps, { id, projectId: project.id });
      const row = await getConnectionRow(queries, project.id, id);
      const providerApp = row.providerAppId
        ? await findProviderApp(queries, project.id, row.providerAppId)
        : undefined;
      return { ...toConnection(row, { providerApp }), check: { time, ...check } };
    },
  });
