/** DELETE /v1/projects/{projectIdOrName}/destinations/{destination} */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { removeDestination } from "../../store/destinations.ts";
import { DestinationIdOrName } from "../members.ts";
import { getDestinationRow } from "./destination.ts";

export const deleteDestination = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteDestination",
    tag: "Destinations",
    summary: "Delete a destination",
    description: "By id or name. Deletes its routes and waiting deliveries as well.",
    params: Type.Object({ destination: DestinationIdOrName }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
      const { id } = await getDestinationRow(deps.database.queries, project.id, params.destination);
      await removeDestination(deps.database.queries, project.id, id);
    },
  });
