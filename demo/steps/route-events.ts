/** Step: create a webhook destination, a topic and routes, unless an earlier run did. */
import type { Json } from "../../ground/json.ts";
import { list, getMember, getText, type Step, type Tour } from "../step.ts";

const EVENT_TYPES = ["connection.created", "installation.created", "write.async.done"];

export const routeEvents: Step = {
  title: "Route events to a webhook",
  async run(deps) {
    const destinationId = await requireDestination(deps);
    const secret = await deps.api("GET", `/destinations/people?includeSecrets=true`, {
      shows: ["name", "type", "secrets"],
    });
    deps.remember("signingKey", getText(secret.body, "secrets.webhookSigningKey"));
    deps.check("the destination has a signing key", true);

    const topicId = await requireTopic(deps);
    await route(deps, "/topic-destination-routes", { topicId, destinationId });
    for (const eventType of EVENT_TYPES) {
      await route(deps, "/notification-event-topic-routes", { eventType, topicId });
    }
    deps.check(`${EVENT_TYPES.join(", ")} are routed to it`, true);
  },
};

async function requireDestination(deps: Tour): Promise<string> {
  const metadata = { url: deps.receiver.url };
  const known = await find(deps, "/destinations", "people");
  const shows = ["id", "name", "type", "metadata"];
  const { status, body } = known
    ? await deps.api("PATCH", "/destinations/people", {
        body: { updateMask: ["metadata.url"], destination: { metadata } },
        shows,
      })
    : await deps.api("POST", "/destinations", { body: { name: "people", type: "webhook", metadata }, shows });
  deps.check("the destination `people` exists", status < 300);
  return getText(body, "id");
}

async function requireTopic(deps: Tour): Promise<string> {
  const known = await find(deps, "/topics", "demo");
  if (known) return getText(known, "id");
  const { body } = await deps.api("POST", "/topics", { body: { name: "demo" }, shows: ["id", "name"] });
  return getText(body, "id");
}

async function find(deps: Tour, path: string, name: string): Promise<Json | undefined> {
  const { body } = await deps.api("GET", path, { shows: ["*.id", "*.name"] });
  return list({ all: body }, "all").find((row) => getMember(row, "name") === name);
}

/** 409: an earlier run has created it. */
async function route(deps: Tour, path: string, body: Record<string, Json>): Promise<void> {
  const { status } = await deps.api("POST", path, { body, shows: ["id", "title", "status", "detail"] });
  deps.check("routed", status === 201 || status === 409);
}
