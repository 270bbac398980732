/** DELETE /v1/projects/{projectIdOrName}/groups/{groupRef} */
import { Type } from "typebox";
import { now } from "../../../ground/clock.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { eraseGroup } from "./erasing.ts";

const count = (description: string) => Type.Integer({ description });

const ReceiptSchema = Type.Object(
  {
    groupRef: Type.String({ description: "Your own id for the customer." }),
    done: Type.Boolean({
      description:
        "Whether nothing is left. If false, send the request again: it continues where it stopped.",
    }),
    eraseTime: Type.String({ format: "date-time", description: "When this answer was made." }),
    erased: Type.Object(
      {
        installations: count(
          "Installations, with their configuration, read cursors, fingerprints and subscriptions.",
        ),
        connections: count("Connections, with their credentials."),
        consumers: count("People who had connected for this group only."),
        consents: count("Attempts to connect an account."),
        operations: count("Operations, with their logs and results."),
        queuedWrites: count("Writes that waited, with their records."),
        idempotencyKeys: count("Answers kept for repeated requests."),
        events: count("Events and data messages, with the records in them."),
        deliveries: count("Deliveries, with their attempts."),
        proxyCalls: count("Lines about proxied calls, with their paths."),
        refusedRequests: count("Refused requests that named the group."),
        auditNames: count(
          "Audit entries whose target, or whose actor with a customer token, was made anonymous; what was done and when stays.",
        ),
      },
      { description: "Number of rows that this request erased." },
    ),
  },
  { title: "ErasureReceipt", description: "What was erased of a group." },
);

/** Below the usual timeouts of load balancers. */
const WITHIN_MS = 20_000;

export const deleteGroup = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteGroup",
    tag: "Customers",
    summary: "Erase a group",
    description:
      "Erases everything that Busbar has of a customer, at once and for good: credentials, configuration, queued records, " +
      "operations and logs, events and deliveries. No event is sent. Work that is in progress ends without a result. " +
      "Nothing is changed in the customer's account at the provider. Large groups need several requests, see `done`.",
    params: Type.Object({ groupRef: Type.String({ description: "Your own id for the customer." }) }),
    success: { status: 200, description: "The receipt.", schema: ReceiptSchema },
    async handle({ project, params: { groupRef } }) {
      const wanted = { projectId: project.id, groupRef, withinMs: WITHIN_MS };
      const result = await eraseGroup(deps, wanted);
      return { groupRef, ...result, eraseTime: now().toISOString() };
    },
  });
