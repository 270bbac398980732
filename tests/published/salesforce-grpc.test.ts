/** Salesforce's Pub/Sub API by published implementations of gRPC (`@grpc/grpc-js`) and Avro (`avsc`), with facts of its proto. */
import assert from "node:assert/strict";
import { connect, type ClientHttp2Session } from "node:http2";
import { after, before, test } from "node:test";
import {
  loadPackageDefinition,
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceClientConstructor,
} from "@grpc/grpc-js";
import { fromJSON } from "@grpc/proto-loader";
import avsc from "avsc";
import type { StreamRequest } from "../../connector-kit/stream-connector.ts";
import { openReader } from "../../connectors/salesforce/pubsub-stream.ts";

const field = (type: string, id: number, rule?: string) => ({
  type,
  id,
  ...(rule !== undefined && { rule }),
});

/** Names, types and numbers of the used members in pubsub_api.proto of forcedotcom/pub-sub-api. */
const PROTO = {
  nested: {
    eventbus: {
      nested: {
        v1: {
          nested: {
            TopicRequest: { fields: { topicName: field("string", 1) } },
            TopicInfo: {
              fields: {
                topicName: field("string", 1),
                tenantGuid: field("string", 2),
                canPublish: field("bool", 3),
                canSubscribe: field("bool", 4),
                schemaId: field("string", 5),
                rpcId: field("string", 6),
              },
            },
            SchemaRequest: { fields: { schemaId: field("string", 1) } },
            SchemaInfo: {
              fields: {
                schemaJson: field("string", 1),
                schemaId: field("string", 2),
                rpcId: field("string", 3),
              },
            },
            ProducerEvent: {
              fields: { id: field("string", 1), schemaId: field("string", 2), payload: field("bytes", 3) },
            },
            ConsumerEvent: { fields: { event: field("ProducerEvent", 1), replayId: field("bytes", 2) } },
            ReplayPreset: { values: { LATEST: 0, EARLIEST: 1, CUSTOM: 2 } },
            FetchRequest: {
              fields: {
                topicName: field("string", 1),
                replayPreset: field("ReplayPreset", 2),
                replayId: field("bytes", 3),
                numRequested: field("int32", 4),
                authRefresh: field("string", 5),
              },
            },
            FetchResponse: {
              fields: {
                events: field("ConsumerEvent", 1, "repeated"),
                latestReplayId: field("bytes", 2),
                rpcId: field("string", 3),
                pendingNumRequested: field("int32", 4),
              },
            },
            PubSub: {
              methods: {
                Subscribe: {
                  requestType: "FetchRequest",
                  requestStream: true,
                  responseType: "FetchResponse",
                  responseStream: true,
                },
                GetTopic: { requestType: "TopicRequest", responseType: "TopicInfo" },
                GetSchema: { requestType: "SchemaRequest", responseType: "SchemaInfo" },
              },
            },
          },
        },
      },
    },
  },
};

const optional = (type: unknown): unknown[] => ["null", type];

/** Schema of a change event, with the order and remarks of the fields in recorded schemas. */
const SCHEMA = {
  type: "record",
  name: "ContactChangeEvent",
  namespace: "com.sforce.eventbus",
  fields: [
    {
      name: "ChangeEventHeader",
      type: {
        type: "record",
        name: "ChangeEventHeader",
        fields: [
          { name: "entityName", type: "string" },
          { name: "recordIds", type: { type: "array", items: "string" } },
          {
            name: "changeType",
            type: {
              type: "enum",
              name: "ChangeType",
              symbols: ["CREATE", "UPDATE", "DELETE", "UNDELETE", "GAP_CREATE", "GAP_UPDATE", "GAP_OVERFLOW"],
            },
          },
          { name: "changeOrigin", type: "string" },
          { name: "transactionKey", type: "string" },
          { name: "sequenceNumber", type: "int" },
          { name: "commitTimestamp", type: "long" },
          { name: "commitNumber", type: "long" },
          { name: "commitUser", type: "string" },
          { name: "nulledFields", type: { type: "array", items: "string" } },
          { name: "diffFields", type: { type: "array", items: "string" } },
          { name: "changedFields", type: { type: "array", items: "string" } },
        ],
      },
    },
    {
      name: "Name",
      type: optional({
        type: "record",
        name: "PersonName",
        fields: [
          { name: "Salutation", type: optional("string") },
          { name: "LastName", type: optional("string"), doc: "Data:Text" },
        ],
      }),
      doc: "Data:PersonName",
    },
    { name: "Birthdate", type: optional("long"), doc: "Data:DateOnly" },
    { name: "Some_Time__c", type: optional("long"), doc: "Data:TimeOnly:00NDp000009RrA1" },
    { name: "CreatedDate", type: optional("long"), doc: "CreatedDate:DateTime" },
    {
      name: "Some_Geolocation__c",
      type: optional({
        type: "record",
        name: "Location",
        fields: [
          { name: "Latitude", type: optional("double") },
          { name: "Longitude", type: optional("double") },
        ],
      }),
      doc: "Data:Location:00NDp000009Rr9N",
    },
    { name: "AnnualRevenue", type: optional("double"), doc: "Data:Currency" },
    { name: "Lists__c", type: optional({ type: "array", items: "string" }), doc: "Data:MultiEnum" },
  ],
};

const type = avsc.Type.forSchema(SCHEMA as avsc.Schema);
const ID = "003Sb0000000001IAA";

function payload(changeType: string, changedFields: string[], values: Record<string, unknown>): Buffer {
  const nothing = Object.fromEntries(SCHEMA.fields.map(({ name }) => [name, null]));
  return type.toBuffer({
    ...nothing,
    ...values,
    ChangeEventHeader: {
      entityName: "Contact",
      recordIds: [ID],
      changeType,
      changeOrigin: "com/salesforce/api/rest/64.0",
      transactionKey: "000046b1-4a3b-5a2e-5ce9-d8a5b2e1b1e1",
      sequenceNumber: 1,
      commitTimestamp: 1_789_377_602_000,
      commitNumber: 11_789_377_602,
      commitUser: "005Sb0000000001IAA",
      nulledFields: [],
      diffFields: [],
      changedFields,
    },
  });
}

const server = new Server();
const called: string[] = [];
let emit: (bytes: Buffer) => void = () => {};
let session: ClientHttp2Session;
let wanted: StreamRequest;
const stop = new AbortController();

before(async () => {
  const loaded = loadPackageDefinition(
    fromJSON(PROTO as unknown as Parameters<typeof fromJSON>[0]),
  ) as unknown as {
    eventbus: { v1: { PubSub: ServiceClientConstructor } };
  };
  server.addService(loaded.eventbus.v1.PubSub.service, {
    GetTopic(call: ServerUnaryCall<{ topicName: string }, unknown>, answer: sendUnaryData<unknown>) {
      called.push(`GetTopic ${call.request.topicName}`);
      if (call.metadata.get("accesstoken")[0] !== "token")
        return answer({ code: status.UNAUTHENTICATED, details: "no token" });
      answer(null, {
        topicName: call.request.topicName,
        canSubscribe: true,
        schemaId: "schema1",
        rpcId: "1",
      });
    },
    GetSchema(call: ServerUnaryCall<{ schemaId: string }, unknown>, answer: sendUnaryData<unknown>) {
      called.push(`GetSchema ${call.request.schemaId}`);
      answer(null, { schemaId: "schema1", schemaJson: JSON.stringify(SCHEMA), rpcId: "2" });
    },
    Subscribe(call: ServerDuplexStream<{ topicName: string; numRequested: number }, unknown>) {
      call.on("data", ({ topicName }: { topicName: string }) => {
        called.push(`Subscribe ${topicName}`);
        let position = 0;
        emit = (bytes) => {
          position += 1;
          const replayId = Buffer.from([position]);
          call.write({
            events: [{ event: { id: String(position), schemaId: "schema1", payload: bytes }, replayId }],
            latestReplayId: replayId,
            pendingNumRequested: 1,
          });
        };
        call.write({ latestReplayId: Buffer.from([0]), pendingNumRequested: 1 });
      });
      call.on("end", () => call.end());
      call.on("error", () => {});
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  session = connect(`http://127.0.0.1:${port}`);
  const credentials = {
    accessToken: "token",
    instanceUrl: "https://acme.example",
    accountRef: "00DSb0000000001",
  };
  wanted = {
    session,
    topic: "/data/ContactChangeEvent",
    from: "now",
    credentials: async () => credentials,
    signal: stop.signal,
  };
});
after(() => {
  stop.abort();
  session.destroy();
  server.forceShutdown();
});

test("a standard gRPC server answers topic and schema, and its stream gives events with dates, times and parts as Salesforce writes them", async () => {
  const batches = openReader().read(wanted);
  const first = await batches.next();
  assert.equal(first.done, false);
  assert.ok(
    called.some((call) => call.startsWith("Subscribe /data/ContactChangeEvent")),
    called.join(),
  );
  emit(
    payload("UPDATE", ["0x8c", "1-0x02", "5-0x02"], {
      Name: { Salutation: null, LastName: "Quill" },
      // 1815-12-10, in milliseconds before 1970.
      Birthdate: -4_861_728_000_000,
      Some_Time__c: 34_200_000,
      Some_Geolocation__c: { Latitude: null, Longitude: 13.405 },
      Lists__c: ["a", "b"],
    }),
  );
  let events = (await batches.next()).value?.events ?? [];
  if (events.length === 0) events = (await batches.next()).value?.events ?? [];
  const [event] = events;
  assert.ok(event);
  const { ChangeEventHeader: header, ...body } = JSON.parse(event.raw);
  assert.deepEqual(body, {
    Name: { LastName: "Quill" },
    Birthdate: "1815-12-10",
    Some_Time__c: "09:30:00.000Z",
    Some_Geolocation__c: { Longitude: 13.405 },
    Lists__c: ["a", "b"],
  });
  assert.equal(event.recordId, ID);
  assert.deepEqual(event.changedFields, [
    "LastName",
    "Birthdate",
    "Some_Time__c",
    "Some_Geolocation__Longitude__s",
    "Lists__c",
  ]);
  assert.equal(header.commitNumber, 11_789_377_602);
  assert.ok(called.includes("GetSchema schema1"), called.join());
});

test("500 random values are decoded as the published implementation of Avro encoded them", async () => {
  const { decodeAvro, isAvroRecord } = await import("../../connector-kit/avro/decode-avro.ts");
  const { parseAvroSchema } = await import("../../connector-kit/avro/avro-schema.ts");
  const own = parseAvroSchema(JSON.stringify(SCHEMA));
  for (let count = 0; count < 500; count += 1) {
    const value = type.random() as unknown;
    const decoded = decodeAvro(own, type.toBuffer(value));
    assert.ok(isAvroRecord(decoded));
    const plain = (one: unknown): unknown => {
      if (typeof one === "bigint") return Number(one);
      if (Array.isArray(one)) return one.map(plain);
      if (one !== null && typeof one === "object" && "values" in one && "type" in one) {
        const record = one as { type: { fields: { name: string }[] }; values: unknown[] };
        return Object.fromEntries(
          record.type.fields.map(({ name }, index) => [name, plain(record.values[index])]),
        );
      }
      return one;
    };
    assert.deepEqual(JSON.parse(JSON.stringify(plain(decoded))), JSON.parse(JSON.stringify(value)));
  }
});
