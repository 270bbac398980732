/** Draws routes through the API and makes events happen, for tests. */
import type { TestBusbar } from "../../../tests/harness/busbar.ts";
import type { EventType } from "../payloads/event-types.ts";

export interface TestDestination {
  id: string;
  name: string;
  signingKey: string;
}

let counter = 0;

/** A webhook destination, by default with a topic of its own that these events lead to. */
export async function drawRoute(
  on: TestBusbar,
  url: string,
  eventTypes: EventType[],
  metadata: Record<string, unknown> = {},
): Promise<TestDestination & { topicId: string }> {
  const name = `d${(counter += 1)}`;
  const destination = await on.inProject("POST", "/destinations", {
    name,
    type: "webhook",
    metadata: { url, ...metadata },
  });
  if (destination.status !== 201) throw new Error(destination.text);
  const topic = await on.inProject("POST", "/topics", { name });
  for (const eventType of eventTypes) {
    await on.inProject("POST", "/notification-event-topic-routes", { eventType, topicId: topic.body.id });
  }
  const route = { topicId: topic.body.id, destinationId: destination.body.id };
  const drawn = await on.inProject("POST", "/topic-destination-routes", route);
  if (drawn.status !== 201) throw new Error(drawn.text);
  const shown = await on.inProject("GET", `/destinations/${name}?includeSecrets=true`);
  return {
    id: destination.body.id,
    name,
    signingKey: shown.body.secrets.webhookSigningKey,
    topicId: topic.body.id,
  };
}
