/** Reads change events from Salesforce's Pub/Sub API (`pubsub.proto`). */
import { createClient, type Client } from "@connectrpc/connect";
import { createWritableIterable } from "@connectrpc/connect/protocol";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { LRUCache } from "lru-cache";
import { parseAvroSchema, type AvroType } from "../../connector-kit/avro/avro-schema.ts";
import { decodeAvro } from "../../connector-kit/avro/decode-avro.ts";
import { openGrpcTransport } from "../../connector-kit/grpc/grpc-transport.ts";
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
import {
  PubSub,
  ReplayPreset,
  type FetchRequestSchema,
  type FetchResponse,
  type ProducerEvent,
} from "./pubsub.gen.ts";

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
type FetchRequest = MessageInitShape<typeof FetchRequestSchema>;

/** A request, and the API on its session. */
interface Call extends StreamRequest {
  api: Client<typeof PubSub>;
}

async function* read(schemas: Schemas, request: StreamRequest): AsyncGenerator<StreamBatch> {
  const { topic, signal } = request;
  const call = { ...request, api: createClient(PubSub, openGrpcTransport(request.session)) };
  try {
    const headers = buildHeaders(await request.credentials());
    // The listener below would miss an abort of before.
    signal.throwIfAborted();
    const stop = new AbortController();
    const cancel = () => stop.abort();
    signal.addEventListener("abort", cancel, { once: true });
    const requests = createWritableIterable<FetchRequest>();
    // A request that cannot be sent any more is no failure of its own: the answers tell.
    const send = (message: FetchRequest) => void requests.write(message).catch(() => {});
    try {
      send(buildFirstRequest(request));
      const answers = call.api.subscribe(requests, { headers, signal: stop.signal })[Symbol.asyncIterator]();
      const first = answers.next();
      first.catch(() => {});
      // Salesforce sends nothing before the first event, up to 270 s; the calls of a session are taken in their order.
      await requireTopic(call, headers, topic);
      yield { events: [], gaps: [], position: Buffer.alloc(0) };
      for (let answer = await first; !answer.done; answer = await answers.next()) {
        yield await toBatch(schemas, call, answer.value);
        const missing = MAX_PENDING - answer.value.pendingNumRequested;
        if (missing > 0) send({ numRequested: missing });
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      stop.abort();
    }
  } catch (error) {
    throw toStreamError(error);
  }
  throw new ProviderError({ kind: "unavailable", message: "Salesforce ended the stream of change events" });
}

function buildFirstRequest({ topic, from }: StreamRequest): FetchRequest {
  const start =
    typeof from === "string"
      ? { replayPreset: PRESETS[from] }
      : { replayPreset: ReplayPreset.CUSTOM, replayId: from };
  return { topicName: topic, numRequested: MAX_PENDING, ...start };
}

const PRESETS = { now: ReplayPreset.LATEST, oldest: ReplayPreset.EARLIEST };

const buildHeaders = ({
  accessToken,
  instanceUrl,
  accountRef,
}: StreamCredentials): Record<string, string> => ({
  accesstoken: accessToken,
  instanceurl: instanceUrl,
  tenantid: accountRef,
});

async function requireTopic(
  { api }: Call,
  headers: Record<string, string>,
  topicName: string,
): Promise<void> {
  const { canSubscribe } = await api.getTopic({ topicName }, { headers, timeoutMs: CALL_TIMEOUT_MS });
  if (canSubscribe) return;
  throw new ProviderError({
    kind: "forbidden",
    message: `Salesforce does not let the connected user subscribe to ${topicName}. The user needs View All Records of the objects.`,
  });
}

async function toBatch(schemas: Schemas, call: Call, response: FetchResponse): Promise<StreamBatch> {
  const events: ProviderEvent[] = [];
  const gaps: StreamGap[] = [];
  let capacity = MAX_TEXT;
  for (const { event } of response.events) {
    const batch = await changesIn(schemas, call, { event, capacity });
    capacity -= batch.events.reduce((sum, { raw }) => sum + raw.length, 0);
    events.push(...batch.events);
    gaps.push(...batch.gaps);
  }
  // The latest id may be ahead of events that were not asked for yet.
  const position = response.events.at(-1)?.replayId ?? response.latestReplayId;
  return { events, gaps, position: toBuffer(position) };
}

const toBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

/** An event, or a schema, that cannot be read would stop the stream for ever, so the records are read instead. */
async function changesIn(
  schemas: Schemas,
  call: Call,
  { event, capacity }: { event: ProducerEvent | undefined; capacity: number },
): Promise<ChangeEvents> {
  try {
    if (!event) throw new RangeError("it is empty");
    const schema = await findSchema(schemas, call, event.schemaId);
    return readChangeEvent(decodeAvro(schema, toBuffer(event.payload)), capacity);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return {
      events: [],
      gaps: [{ reason: `a change event of Salesforce cannot be read: ${error.message}` }],
    };
  }
}

/** Another stream may have failed to get it for a reason of its own. */
async function findSchema(schemas: Schemas, call: Call, schemaId: string): Promise<AvroType> {
  const known = await schemas.get(schemaId)?.catch(() => undefined);
  if (known) return known;
  const fetched = fetchSchema(call, schemaId);
  schemas.set(schemaId, fetched);
  fetched.catch(() => {
    if (schemas.get(schemaId) === fetched) schemas.delete(schemaId);
  });
  return fetched;
}

async function fetchSchema({ api, credentials }: Call, schemaId: string): Promise<AvroType> {
  const headers = buildHeaders(await credentials());
  const { schemaJson } = await api.getSchema({ schemaId }, { headers, timeoutMs: CALL_TIMEOUT_MS });
  return parseAvroSchema(schemaJson);
}
