/** Shows a test the subscriptions of a customer: their state, the lines about their events, the delivered entries. */
import { createValidator } from "../../server/http/validation.ts";
import { SubscribeMessageSchema } from "../../server/events/subscribe-message-schema.ts";
import type { Answer, Client } from "./client.ts";
import type { Customer } from "./connect-customer.ts";
import type { Sink } from "./deliveries/sink.ts";

interface SeenSubscriptions {
  /** The path of the installation, below the project. */
  installation(): string;
  subscriptions(): Promise<Answer["body"][]>;
  /** The first subscription. */
  subscription(): Promise<Answer["body"]>;
  /** The outcomes of the events about a record. */
  lines(recordId: string): Promise<Answer["body"][]>;
  /** All entries about a record; each message is checked against its schema. */
  entries(recordId: string): Answer["body"][];
}

/** Opens the API's view of an installation's subscriptions. `place` is called each time, because `before` opens its members. The receiver is the sink's path `/changes`. */
export function openSubscriptions(
  place: () => {
    busbar: Client;
    sink: Sink;
    customer: Pick<Customer, "integration" | "installationId">;
  },
): SeenSubscriptions {
  const installation = (): string => {
    const { integration, installationId } = place().customer;
    return `/integrations/${integration}/installations/${installationId}`;
  };
  const get = async (path: string): Promise<Answer["body"]> =>
    (await place().busbar.inProject("GET", installation() + path)).body;
  const subscriptions = (): Promise<Answer["body"][]> => get("/subscriptions");
  return {
    installation,
    subscriptions,
    subscription: async () => (await subscriptions())[0],
    lines: async (recordId) => (await get(`/subscription-events?recordId=${recordId}`)).results,
    entries: (recordId) =>
      place()
        .sink.messagesAt("/changes")
        .flatMap(({ body }) => {
          const message: Answer["body"] = JSON.parse(body);
          createValidator(SubscribeMessageSchema, "body")(message);
          return message.result.filter((entry: { id: string }) => entry.id === recordId);
        }),
  };
}
