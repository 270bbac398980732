/** Draws routes through the API and makes events happen, for tests. */
import type { TestBusbar } from "../busbar.ts";
import type { EventType } from "../../../server/events/event-types.ts";

export interface TestDestination {
  id: string;
  name: string;
  signingKey: string;
}

let counter = 0;

/** A webhook destination with a topic of its own that these events lead to, or such a topic for a known destination. */
export async function drawRoute(
  busbar: TestBusbar,
  url: string,
  eventTypes: EventType[],
  metadata: Record<string, unknown> = {},
  destinationId?: string,
): Promise<TestDestination & { topicId: string }> {
  const topic = await busbar.inProject("POST", "/topics", { name: `t${(counter += 1)}` });
  const topicId = topic.body.id;
  for (const eventType of eventTypes) {
    await busbar.inProject("POST", "/notification-event-topic-routes", { eventType, topicId });
  }
  if (destinationId) {
    const drawn = await busbar.inProject("POST", "/topic-destination-routes", { topicId, destinationId });
    if (drawn.status !== 201) throw new Error(drawn.text);
    return { id: destinationId, name: "", signingKey: "", topicId };
  }
  return { ...(await addDestination(busbar, url, topicId, metadata)), topicId };
}

/** Adds a webhook destination and returns its id. */
export async function addWebhook(
  { inProject }: Pick<TestBusbar, "inProject">,
  name: string,
  url: string,
): Promise<string> {
  const created = await inProject("POST", "/destinations", { name, type: "webhook", metadata: { url } });
  if (created.status !== 201) throw new Error(created.text);
  return created.body.id;
}

/** A webhook destination that a topic leads to. */
export async function addDestination(
  busbar: TestBusbar,
  url: string,
  topicId: string,
  metadata: Record<string, unknown> = {},
): Promise<TestDestination> {
  const name = `d${(counter += 1)}`;
  const body = { name, type: "webhook", metadata: { url, ...metadata } };
  const created = await busbar.inProject("POST", "/destinations", body);
  if (created.status !== 201) throw new Error(created.text);
  const { id } = created.body;
  const drawn = await busbar.inProject("POST", "/topic-destination-routes", { topicId, destinationId: id });
  if (drawn.status !== 201) throw new Error(drawn.text);
  const shown = await busbar.inProject("GET", `/destinations/${name}?includeSecrets=true`);
  return { id, name, signingKey: shown.body.secrets.webhookSigningKey };
}
