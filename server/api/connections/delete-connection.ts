/** DELETE /v1/projects/{projectIdOrName}/connections/{connectionId} */
import { Type } from "typebox";
import { connectionEvent, connectionFields } from "../../events/connection-events.ts";
import { recordEvent } from "../../events/record-event.ts";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { removeConnection } from "../../store/connections.ts";
import { type Database, transact } from "../../store/database.ts";
import { countConnectionInstallations } from "../../store/installations.ts";
import { ConnectionId } from "../members.ts";
import { getConnectionRow, noConnection } from "./connection.ts";

export const deleteConnection = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteConnection",
    tag: "Connections",
    summary: "Delete a connection",
    description: "Refused with 409 while an installation uses it.",
    params: Type.Object({ connectionId: ConnectionId }),
    success: { status: 204, description: "Deleted, with its credentials." },
    refusals: { 409: "An installation uses the connection." },
    async handle({ project, params }) {
      await transact(deps.database, async (queries) => {
        const row = await getConnectionRow(queries, project.id, params.connectionId);
        const { id } = row;
        const users = await countConnectionInstallations(queries, project.id, id);
        if (users > 0) {
          throw new Problem("conflict", {
            detail: `${users} installation${users === 1 ? " uses" : "s use"} this connection. Delete ${users === 1 ? "it" : "them"} first.`,
          });
        }
        // Of several requests at the same time only one deletes it, and tells so.
        if (!(await removeConnection(queries, project.id, id))) throw noConnection(id);
        await recordEvent(queries, connectionEvent("deleted", connectionFields(row)));
      });
    },
  });
