/** DELETE /v1/projects/{projectIdOrName}/destinations/{destination} */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { transact, type Database } from "../../store/database.ts";
import { removeDestination } from "../../store/destinations.ts";
import { DestinationIdOrName } from "../members.ts";
import { getDestinationRow } from "./destination.ts";
import { refuseInUse } from "./refuse-in-use.ts";

export const deleteDestination = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteDestination",
    tag: "Destinations",
    summary: "Delete a destination",
    description:
      "By id or name. Deletes its routes and waiting deliveries as well. Refused while an integration or a customer's " +
      "configuration reads, subscribes or watches schemas into it.",
    params: Type.Object({ destination: DestinationIdOrName }),
    success: { status: 204, description: "Deleted." },
    refusals: { 409: "Integrations or customers' configurations send to it; `issues` names them." },
    handle: ({ project, params }) =>
      transact(deps.database, async (queries) => {
        const row = await getDestinationRow(queries, project.id, params.destination, "update");
        await refuseInUse(queries, row);
        await removeDestination(queries, project.id, row.id);
      }),
  });
