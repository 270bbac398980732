/** Step: a webhook destination, a topic, and which events go there; kept from an earlier run where there was one. */
import type { Json } from "../../server/ground/json.ts";
import { list, member, text, type Step, type Tour } from "../step.ts";

const EVENT_TYPES = ["connection.created", "installation.created", "write.async.done"];

export const routeEvents: Step = {
  title: "Have events sent to a webhook",
  async run(on) {
    const destinationId = await requireDestination(on);
    const secret = await on.api("GET", `/destinations/people?includeSecrets=true`, {
      shows: ["name", "type", "secrets"],
    });
    on.remember("signingKey", text(secret.body, "secrets.webhookSigningKey"));
    on.check("the destination has a key that it signs with", true);

    const topicId = await requireTopic(on);
    await route(on, "/topic-destination-routes", { topicId, destinationId });
    for (const eventType of EVENT_TYPES) {
      await route(on, "/notification-event-topic-routes", { eventType, topicId });
    }
    on.check(`${EVENT_TYPES.join(", ")} go there from now on`, true);
  },
};

async function requireDestination(on: Tour): Promise<string> {
  const metadata = { url: on.receiver.url };
  const known = await find(on, "/destinations", "people");
  const shows = ["id", "name", "type", "metadata"];
  const { status, body } = known
    ? await on.api("PATCH", "/destinations/people", {
        body: { updateMask: ["metadata.url"], destination: { metadata } },
        shows,
      })
    : await on.api("POST", "/destinations", { body: { name: "people", type: "webhook", metadata }, shows });
  on.check("the destination `people` is there", status < 300);
  return text(body, "id");
}

async function requireTopic(on: Tour): Promise<string> {
  const known = await find(on, "/topics", "demo");
  if (known) return text(known, "id");
  const { body } = await on.api("POST", "/topics", { body: { name: "demo" }, shows: ["id", "name"] });
  return text(body, "id");
}

async function find(on: Tour, path: string, name: string): Promise<Json | undefined> {
  const { body } = await on.api("GET", path, { shows: ["*.id", "*.name"] });
  return list({ all: body }, "all").find((row) => member(row, "name") === name);
}

/** 409: an earlier run has drawn it. */
async function route(on: Tour, path: string, body: Record<string, Json>): Promise<void> {
  const { status } = await on.api("POST", path, { body, shows: ["id", "title", "status", "detail"] });
  on.check("routed", status === 201 || status === 409);
}
