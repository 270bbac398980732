/** DELETE /v1/projects/{projectIdOrName}/api-keys/{apiKey} */
import { projectEndpoint } from "../../http/endpoint.ts";
import { removeApiKey } from "../../store/api-keys.ts";
import { type Database, transact } from "../../store/database.ts";
import { revokeInvitesOfKey } from "../../store/people.ts";
import { getApiKeyRow, NameParams, requireAnotherFullKey } from "./api-key.ts";

export const deleteApiKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteApiKey",
    tag: "API keys",
    summary: "Delete an API key",
    description: "Refused with 409 for the project's last active key with the scope `full`.",
    params: NameParams,
    success: { status: 204, description: "Deleted. Requests with the key are refused." },
    refusals: { 409: "The key is the project's last active one with the scope `full`." },
    async handle({ project, params }) {
      await transact(deps.database, async (queries) => {
        const row = await getApiKeyRow(queries, project.id, params.apiKey);
        await requireAnotherFullKey(queries, row);
        await revokeInvitesOfKey(queries, row.id);
        await removeApiKey(queries, project.id, row.id);
      });
    },
  });
