/** Google Cloud Pub/Sub: one message per message, published by its REST API with a service account. */
import { Type } from "typebox";
import { defineDestination, type Exchange, type Outcome } from "../../destination-kit/destination.ts";
import { toHttpOutcome, parseMembers } from "../../destination-kit/http-outcome.ts";
import {
  checkGoogle,
  buildEndpointSetting,
  GOOGLE_PROJECT,
  getGoogleAudience,
  createGoogleBearer,
  explainGoogleRefusal,
  readServiceAccount,
  describeServiceAccount,
} from "../../destination-kit/google.ts";

const GOOGLE = "https://pubsub.googleapis.com";
/** A request may have 10 MB and contains the message as base64. */
const MAX_MESSAGE_BYTES = 7_000_000;

export const pubsub = defineDestination({
  type: "pubsub",
  label: "Google Cloud Pub/Sub",
  description: "One message of a topic per message, published with a service account.",
  config: Type.Object({
    ...GOOGLE_PROJECT,
    topicId: Type.String({ pattern: "^[A-Za-z][A-Za-z0-9._~+%-]{2,254}$" }),
    ...buildEndpointSetting(GOOGLE),
  }),
  secrets: describeServiceAccount("publish to the topic"),
  maxMessageBytes: MAX_MESSAGE_BYTES,
  check: checkGoogle,
  open({ config: { projectId, topicId, endpointUrl = GOOGLE }, secrets: { credentials } }, network) {
    const topic = `projects/${encodeURIComponent(projectId)}/topics/${encodeURIComponent(topicId)}`;
    const url = new URL(`/v1/${topic}:publish`, endpointUrl);
    const bearer = createGoogleBearer(readServiceAccount(credentials), getGoogleAudience(url, GOOGLE));
    return {
      async deliver({ id, topic: message, data }) {
        const messages = [
          { data: Buffer.from(data).toString("base64"), attributes: { topic: message, "event-id": id } },
        ];
        const headers = { "content-type": "application/json", authorization: `Bearer ${await bearer()}` };
        return readOutcome(
          await network.send({ url, method: "POST", headers, body: JSON.stringify({ messages }) }),
        );
      },
      close: async () => {},
    };
  },
});

/**
 * Google's refusal: {"error": {"status": "PERMISSION_DENIED", "message": "…"}}; its answer to an accepted message:
 * {"messageIds": ["17"]}.
 */
function readOutcome(exchange: Exchange): Outcome {
  const outcome = toHttpOutcome(exchange);
  if ("failure" in exchange) return outcome;
  const { error, messageIds } = parseMembers(exchange.body);
  if (outcome.kind === "delivered") {
    const isTaken = Array.isArray(messageIds) && messageIds.length > 0;
    // For example a sign-in page: the message would be lost.
    return isTaken ? outcome : { ...outcome, kind: "failed", error: NO_ID };
  }
  return explainGoogleRefusal(outcome, error);
}

const NO_ID = "the receiver answered without the id of a message: it is not Pub/Sub";
