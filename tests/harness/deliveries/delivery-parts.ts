/** The parts of the delivery engine, put together on a test database, with destinations in memory and without the loop. */
import type { TestContext } from "node:test";
import type { BatchLimits, Message, Outcome } from "../../../destination-kit/destination.ts";
import { bootstrap } from "../../../server/access/bootstrap.ts";
import type { Channels, OpenDestination } from "../../../server/deliver/destinations/channels.ts";
import { WaitingDeliveries } from "../../../server/deliver/claim-waiting.ts";
import type { DeliveryResult } from "../../../server/deliver/delivery-result.ts";
import { DestinationHealth } from "../../../server/deliver/destinations/destination-health.ts";
import { EventRouter } from "../../../server/deliver/route-events.ts";
import { OutcomeWriter } from "../../../server/deliver/save-outcomes.ts";
import { DeliverySender } from "../../../server/deliver/send-deliveries.ts";
import { openWebhookRateLimit } from "../../../server/deliver/destinations/webhook-rate-limit.ts";
import { rememberMessages } from "../../../server/events/recent-messages.ts";
import { newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import { Sealer } from "../../../ground/seal.ts";
import type { Database } from "../../../server/store/database/database.ts";
import { insertDestination, listDestinationsById } from "../../../server/store/deliveries/destinations.ts";
import { insertEvents } from "../../../server/store/deliveries/events.ts";
import { eventTopicRoutes, topicDestinationRoutes } from "../../../server/store/deliveries/topic-routes.ts";
import { insertTopic } from "../../../server/store/deliveries/topics.ts";
import { testDatabase } from "../database.ts";

const WORKER = 7;
const log = createLog("silent");

interface DeliveryParts {
  database: Database;
  destinationId: string;
  projectId: string;
  sender: DeliverySender;
  router: EventRouter;
  waiting: WaitingDeliveries;
  /** What has been saved, in this order. */
  saved: DeliveryResult[];
  /** What the destination received. */
  messages: Message[];
  /** The size of each batch that it received. */
  batches: number[];
  happen(count: number): Promise<void>;
}

/** One project, one destination and a route to it. `deliver` is the destination; with `batch`, it takes several messages. */
export async function openDeliveryParts(
  t: TestContext,
  deliver: (message: Message) => Promise<Outcome> = async () => ({ kind: "delivered" }),
  batch?: BatchLimits,
): Promise<DeliveryParts> {
  const database = await testDatabase(t);
  const { queries } = database;
  const { projectId, destinationId } = await openRoute(database);
  const messages: Message[] = [];
  const batches: number[] = [];
  const saved: DeliveryResult[] = [];
  const take = (message: Message) => {
    messages.push(message);
    return deliver(message);
  };
  const channel = {
    deliver: take,
    deliverAll: (together: Message[]) => {
      batches.push(together.length);
      return Promise.all(together.map(take));
    },
    close: async () => {},
  };
  const type = { paced: false, maxMessageBytes: undefined, disables: true };
  const opened = new Map<string, OpenDestination>();
  const channels: Channels = {
    async get(wanted) {
      const rows = await listDestinationsById(queries, [...new Set(wanted.map((one) => one.destinationId))]);
      for (const row of rows) {
        if (opened.get(row.id)?.row.version !== row.version)
          opened.set(row.id, { row, type, batch, channel });
      }
      return opened;
    },
    close: async () => {},
  };
  const workerId = () => WORKER;
  const health = new DestinationHealth({ database, unsynced: database, log, disableAfterSeconds: 60 });
  const outcomes = new OutcomeWriter({
    data: queries,
    log,
    workerId,
    judge: (attempts) => health.judge(attempts),
    onSaved: (results) => {
      saved.push(...results);
      waiting.saved(results);
    },
  });
  const sender = new DeliverySender({
    outcomes,
    health,
    rateLimit: openWebhookRateLimit(queries, 0),
    retry: () => 0,
    sealer: new Sealer([{ id: "k", secret: Buffer.alloc(32) }]),
    publicUrl: () => "http://localhost",
    onSpace: () => waiting.capacityFreed(),
  });
  const router = new EventRouter({
    data: queries,
    channels,
    outcomes,
    sender,
    workerId,
    recentMessages: rememberMessages(),
  });
  const waiting = new WaitingDeliveries({
    data: queries,
    channels,
    sender,
    workerId,
    onDue: () => waiting.markDue(),
  });
  t.after(async () => {
    sender.stopSending();
    await sender.drain();
    await outcomes.close();
  });
  return {
    database,
    destinationId,
    projectId,
    sender,
    router,
    waiting,
    saved,
    messages,
    batches,
    happen: (count) =>
      insertEvents(
        queries,
        Array.from({ length: count }, () => ({
          id: newId(),
          projectId,
          type: "connection.created",
          data: "{}",
        })),
      ),
  };
}

async function openRoute({ queries }: Database): Promise<{ projectId: string; destinationId: string }> {
  const { projectId } = await queries
    .transaction()
    .execute((transaction) => bootstrap(transaction, { org: "o", project: "p" }));
  const topic = await insertTopic(queries, projectId, "topic");
  const destinationId = newId();
  await eventTopicRoutes.insert(queries, projectId, { topicId: topic.id, eventType: "connection.created" });
  await insertDestination(queries, {
    id: destinationId,
    projectId,
    name: "in memory",
    type: "webhook",
    metadata: {},
    secretsSealed: "sealed",
  });
  await topicDestinationRoutes.insert(queries, projectId, { topicId: topic.id, destinationId });
  return { projectId, destinationId };
}
