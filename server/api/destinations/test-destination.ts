/** POST /v1/projects/{projectIdOrName}/destinations/{destination}:test */
import { Type } from "typebox";
import { sampleEvent } from "../../events/sample-event.ts";
import { testDelivery, type TestServices } from "../../deliver/test-delivery.ts";
import { described } from "../../../ground/described.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { AttemptSchema } from "./delivery-attempt.ts";
import { EventTypeSchema } from "../event-topic-routes/event-topic-route.ts";
import { DestinationIdOrName } from "../members.ts";
import { getDestinationRow } from "./destination.ts";

export const testDestination = (deps: TestServices & { database: Database }) =>
  projectEndpoint({
    operationId: "testDestination",
    tag: "Destinations",
    summary: "Test a destination",
    description:
      "Delivers a sample event immediately, signed like a real message, and returns the result. The " +
      "delivery is neither recorded nor retried, and a disabled destination stays disabled.",
    params: Type.Object({ destination: DestinationIdOrName }),
    body: Type.Object({
      eventType: Type.Optional(
        described(EventTypeSchema, "Type of the event to send, for example `write.async.done`."),
      ),
    }),
    bodyOptional: true,
    role: "support",
    success: {
      status: 200,
      description: "The result, also if the receiver refused the message.",
      schema: Type.Object({
        messageId: Type.String({ description: "Id of the message that the receiver got." }),
        delivered: Type.Boolean({ description: "Whether the receiver accepted the message." }),
        attempt: described(AttemptSchema, "Result of the attempt."),
      }),
    },
    async handle({ project, params, body }) {
      const row = await getDestinationRow(deps.database.queries, project.id, params.destination);
      const type = body?.eventType ?? "installation.created";
      return testDelivery(deps, row, sampleEvent(type, project.id));
    },
  });
