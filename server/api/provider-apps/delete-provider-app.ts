/** DELETE /v1/projects/{projectIdOrName}/provider-apps/{providerAppId} */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { type Database, transact } from "../../store/database.ts";
import { countConnectionsOfApp, removeProviderApp } from "../../store/provider-apps.ts";
import { ProviderAppId } from "../members.ts";
import { getProviderAppRow } from "./provider-app.ts";

export const deleteProviderApp = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteProviderApp",
    tag: "Provider apps",
    summary: "Delete a provider app",
    description:
      "Refused with 422 while a connection uses it, because no other client can refresh its tokens.",
    params: Type.Object({ providerAppId: ProviderAppId }),
    success: { status: 204, description: "Deleted, with its secret." },
    refusals: { 422: "Connections use the app." },
    async handle({ project, params }) {
      await transact(deps.database, async (queries) => {
        const { id } = await getProviderAppRow(queries, project.id, params.providerAppId);
        const users = await countConnectionsOfApp(queries, project.id, id);
        if (users > 0) {
          const detail = `${users} connection${users === 1 ? " uses" : "s use"} this app. Delete ${users === 1 ? "it" : "them"} first.`;
          throw new Problem("semantically-invalid", {
            detail,
            issues: [{ in: "path", name: "providerAppId", detail }],
          });
        }
        await removeProviderApp(queries, project.id, id);
      });
    },
  });
