/**
 * Reads change events from Salesforce's Pub/Sub API (service `eventbus.v1.PubSub` of pubsub_api.proto, which Salesforce
 * published under CC0-1.0; the numbers below are its field numbers).
 */
import { LRUCache } from "lru-cache";
import { parseAvroSchema, type AvroType } from "../../connector-kit/avro/avro-schema.ts";
import { decodeAvro } from "../../connector-kit/avro/decode-avro.ts";
import { callUnary, openStream } from "../../connector-kit/grpc/grpc-call.ts";
import {
  bytesAt,
  decodeMessage,
  encodeMessage,
  messagesAt,
  numberAt,
  type ProtoMessage,
} from "../../connector-kit/grpc/protobuf.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type {
  StreamBatch,
  StreamCredentials,
  StreamGap,
  StreamReader,
  StreamRequest,
} from "../../connector-kit/stream-connector.ts";
import type { ProviderEvent } from "../../connector-kit/subscribe-connector.ts";
import { MAX_TEXT, readChangeEvent, type ChangeEvents } from "./change-event.ts";
import { toStreamError } from "./pubsub-errors.ts";

const SERVICE = "/eventbus.v1.PubSub";
const FETCH_REQUEST = { topic: 1, preset: 2, replayId: 3, wanted: 4 };
const PRESETS = { now: 0, oldest: 1, position: 2 };
const FETCH_RESPONSE = { events: 1, latestReplayId: 2, pending: 4 };
const CONSUMER_EVENT = { event: 1, replayId: 2 };
const PRODUCER_EVENT = { schemaId: 2, payload: 3 };
const SCHEMA_INFO = { json: 1 };
const TOPIC_INFO = { canSubscribe: 4 };

/** More are not accepted; Salesforce never sends more than was asked for. */
const MAX_PENDING = 100;
const CALL_TIMEOUT_MS = 20_000;
/** A schema of an object with many fields takes some hundred KB. */
const MAX_SCHEMAS = 500;

export function openReader(): StreamReader {
  // The id of a schema changes with its content, so organisations may share them.
  const schemas: Schemas = new LRUCache({ max: MAX_SCHEMAS });
  return { read: (request) => read(schemas, request) };
}

/** Schemas by id, requests for them included: after a start, many streams need the same one at once. */
type Schemas = LRUCache<string, Promise<AvroType>>;

async function* read(schemas: Schemas, request: StreamRequest): AsyncGenerator<StreamBatch> {
  const { session, topic, signal } = request;
  try {
    const metadata = buildMetadata(await request.credentials());
    // The listener below would miss an abort of before.
    signal.throwIfAborted();
    const stream = openStream(session, { path: `${SERVICE}/Subscribe`, metadata });
    const cancel = () => stream.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      stream.send(firstRequest(request));
      // Salesforce sends nothing before the first event, up to 270 s; the calls of a session are taken in their order.
      await requireTopic(request, metadata, topic);
      yield { events: [], gaps: [], position: Buffer.alloc(0) };
      for await (const message of stream.messages()) {
        const response = decodeMessage(message);
        yield await toBatch(schemas, request, response);
        const missing = MAX_PENDING - numberAt(response, FETCH_RESPONSE.pending);
        if (missing > 0) stream.send(encodeMessage([[FETCH_REQUEST.wanted, missing]]));
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      stream.cancel();
    }
  } catch (error) {
    throw toStreamError(error);
  }
  throw new ProviderError({ kind: "unavailable", message: "Salesforce ended the stream of change events" });
}

function firstRequest({ topic, from }: StreamRequest): Buffer {
  const preset = typeof from === "string" ? PRESETS[from] : PRESETS.position;
  return encodeMessage([
    [FETCH_REQUEST.topic, topic],
    [FETCH_REQUEST.preset, preset],
    [FETCH_REQUEST.replayId, typeof from === "string" ? undefined : from],
    [FETCH_REQUEST.wanted, MAX_PENDING],
  ]);
}

const buildMetadata = ({
  accessToken,
  instanceUrl,
  accountRef,
}: StreamCredentials): Record<string, string> => ({
  accesstoken: accessToken,
  instanceurl: instanceUrl,
  tenantid: accountRef,
});

async function requireTopic(
  { session }: StreamRequest,
  metadata: Record<string, string>,
  topic: string,
): Promise<void> {
  const answer = await callUnary(session, {
    path: `${SERVICE}/GetTopic`,
    metadata,
    message: encodeMessage([[1, topic]]),
    timeoutMs: CALL_TIMEOUT_MS,
  });
  if (numberAt(decodeMessage(answer), TOPIC_INFO.canSubscribe) !== 0) return;
  throw new ProviderError({
    kind: "forbidden",
    message: `Salesforce does not let the connected user subscribe to ${topic}. The user needs View All Records of the objects.`,
  });
}

async function toBatch(
  schemas: Schemas,
  request: StreamRequest,
  response: ProtoMessage,
): Promise<StreamBatch> {
  const received = messagesAt(response, FETCH_RESPONSE.events);
  const events: ProviderEvent[] = [];
  const gaps: StreamGap[] = [];
  let capacity = MAX_TEXT;
  for (const consumed of received) {
    const event = decodeMessage(bytesAt(consumed, CONSUMER_EVENT.event));
    const batch = await changesIn(schemas, request, { event, capacity });
    capacity -= batch.events.reduce((sum, { raw }) => sum + raw.length, 0);
    events.push(...batch.events);
    gaps.push(...batch.gaps);
  }
  const last = received.at(-1);
  // The latest id may be ahead of events that were not asked for yet.
  const position = last
    ? bytesAt(last, CONSUMER_EVENT.replayId)
    : bytesAt(response, FETCH_RESPONSE.latestReplayId);
  return { events, gaps, position };
}

/** An event, or a schema, that cannot be read would stop the stream for ever, so the records are read instead. */
async function changesIn(
  schemas: Schemas,
  request: StreamRequest,
  { event, capacity }: { event: ProtoMessage; capacity: number },
): Promise<ChangeEvents> {
  const schemaId = bytesAt(event, PRODUCER_EVENT.schemaId).toString("utf8");
  try {
    const schema = await findSchema(schemas, request, schemaId);
    return readChangeEvent(decodeAvro(schema, bytesAt(event, PRODUCER_EVENT.payload)), capacity);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return {
      events: [],
      gaps: [{ reason: `a change event of Salesforce cannot be read: ${error.message}` }],
    };
  }
}

/** Another stream may have failed to get it for a reason of its own. */
async function findSchema(schemas: Schemas, request: StreamRequest, schemaId: string): Promise<AvroType> {
  const known = await schemas.get(schemaId)?.catch(() => undefined);
  if (known) return known;
  const fetched = fetchSchema(request, schemaId);
  schemas.set(schemaId, fetched);
  fetched.catch(() => {
    if (schemas.get(schemaId) === fetched) schemas.delete(schemaId);
  });
  return fetched;
}

async function fetchSchema({ session, credentials }: StreamRequest, schemaId: string): Promise<AvroType> {
  const answer = await callUnary(session, {
    path: `${SERVICE}/GetSchema`,
    metadata: buildMetadata(await credentials()),
    message: encodeMessage([[1, schemaId]]),
    timeoutMs: CALL_TIMEOUT_MS,
  });
  return parseAvroSchema(bytesAt(decodeMessage(answer), SCHEMA_INFO.json).toString("utf8"));
}
