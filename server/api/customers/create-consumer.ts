/** POST /v1/projects/{projectIdOrName}/consumers */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { upsertConsumer } from "../../store/customers.ts";
import type { Database } from "../../store/database.ts";
import { ConsumerName, ConsumerRef } from "../members.ts";

export const createConsumer = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createConsumer",
    tag: "Customers",
    summary: "Create or rename a consumer",
    description: "Optional: connecting creates a consumer if it does not exist.",
    body: Type.Object({
      consumerRef: ConsumerRef,
      consumerName: ConsumerName,
    }),
    success: { status: 201, description: "Created or renamed." },
    async handle({ project, body }) {
      const { consumerRef, consumerName } = body;
      await upsertConsumer(deps.database.queries, { projectId: project.id, consumerRef, consumerName });
    },
  });
