// The published client of Salesforce's Pub/Sub API works against the sandbox: its TLS, gRPC, Avro and bitmaps are not ours.

import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, test } from "node:test";
import jsforce from "jsforce";
import PubSubApiClient from "salesforce-pubsub-api-client";
import { SELF_SIGNED } from "../harness/self-signed.ts";
import { asData, type Data } from "../../sandbox/exchange.ts";
import { openCaller, openSandbox, readText, type Call } from "../../sandbox/test-client.ts";
import type { BusSettings } from "../../sandbox/salesforce/event-bus.ts";
import { ORG_ID, USER_ID } from "../../sandbox/salesforce/org.ts";

const sandbox = await openSandbox({ limits: "off", pubSubTls: SELF_SIGNED });
const { bus, server } = sandbox.salesforce;
const DATA = "/services/data/v60.0";
const CHANNEL = "/data/Witness__chn";

let api: Call;
const clients: PubSubApiClient[] = [];
const subscriptions: Heard[] = [];

beforeEach(async () => {
  api = openCaller(sandbox.salesforce.url, sandbox.salesforce.mintToken().accessToken);
  // The client takes replay ids for numbers.
  set({ numericReplayIds: true });
  await select("Account", "Contact", "Machine__c");
});

// A client that is closed does not listen any more to what becomes of its calls, so these end first.
afterEach(async () => {
  server.break("status", "service.unavailable");
  await until(() => subscriptions.every(({ isOver }) => isOver));
  subscriptions.length = 0;
  for (const client of clients.splice(0)) client.close();
});

function set(settings: Partial<BusSettings>): void {
  bus.settings = { ...bus.settings, ...settings };
}

async function connect(accessToken = sandbox.salesforce.mintToken().accessToken): Promise<PubSubApiClient> {
  const { port } = new URL(String(asData(sandbox.catalog().providers["salesforce"])["pubSubURL"]));
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const client = new PubSubApiClient(
    {
      authType: "user-supplied",
      pubSubEndpoint: `localhost:${port}`,
      accessToken,
      // It takes no other scheme.
      instanceUrl: new URL(sandbox.url).origin.replace("http:", "https:"),
      organizationId: ORG_ID,
      rejectUnauthorizedSsl: false,
    },
    silent,
  );
  await client.connect();
  clients.push(client);
  return client;
}

async function select(...objects: string[]): Promise<void> {
  const tooling = `${DATA}/tooling/sobjects`;
  const channel = { FullName: "Witness__chn", Metadata: { channelType: "data", label: "Witness" } };
  const made = await api("POST", `${tooling}/PlatformEventChannel`, channel);
  assert.equal(made.status, 201, made.text);
  for (const object of objects) {
    const event = `${object.replace(/__c$/, "__")}ChangeEvent`;
    const member = {
      FullName: `Witness_chn_${event.replace("__", "_")}`,
      Metadata: { eventChannel: "Witness__chn", selectedEntity: event },
    };
    const selected = await api("POST", `${tooling}/PlatformEventChannelMember`, member);
    assert.equal(selected.status, 201, selected.text);
  }
}

async function create(object: string, values: object): Promise<string> {
  const made = await api("POST", `${DATA}/sobjects/${object}`, values);
  assert.equal(made.status, 201, made.text);
  return readText(made.json, "id");
}

async function change(object: string, id: string, values: object): Promise<void> {
  assert.equal((await api("PATCH", `${DATA}/sobjects/${object}/${id}`, values)).status, 204);
}

async function addNumber(fullName: string): Promise<void> {
  const { accessToken } = sandbox.salesforce.mintToken();
  const connection = new jsforce.Connection({
    instanceUrl: sandbox.salesforce.url,
    accessToken,
    version: "60.0",
  });
  const field = { fullName, label: "Number", type: "Number", precision: 8, scale: 3 };
  const made = await connection.metadata.upsert("CustomField", field);
  assert.ok(!Array.isArray(made) && made.success);
}

type Heard = { events: Data[]; errors: Error[]; keepalives: number; isLast: boolean; isOver: boolean };
type Callback = (info: unknown, type: string, data?: unknown) => void;

/** Subscribes, and waits until the server has begun the call or refused it. */
async function hear(begin: (callback: Callback) => void): Promise<Heard> {
  const before = server.calls.length;
  const heard: Heard = { events: [], errors: [], keepalives: 0, isLast: false, isOver: false };
  subscriptions.push(heard);
  begin((_info, type, data) => {
    if (type === "event") heard.events.push(asData(data));
    else if (type === "error") heard.errors.push(data instanceof Error ? data : new Error(String(data)));
    else if (type === "grpcKeepAlive") heard.keepalives += 1;
    else if (type === "lastEvent") heard.isLast = true;
    else if (type === "grpcStatus") heard.isOver = true;
  });
  const isBegun = (): boolean => server.calls.slice(before).some(({ requested }) => requested > 0);
  await until(() => isBegun() || heard.isOver);
  return heard;
}

async function until(isTrue: () => boolean): Promise<void> {
  const end = Date.now() + 120_000;
  while (!isTrue()) {
    assert.ok(Date.now() < end, "waited for too long");
    await wait(5);
  }
}

/** Returns events in the order of the stream: the client gives them out of order while it loads a schema. */
async function untilEvents(heard: Heard, count: number): Promise<Data[]> {
  await until(() => heard.events.length >= count || heard.errors.length > 0);
  assert.deepEqual(heard.errors, []);
  assert.equal(heard.events.length, count);
  return heard.events.toSorted((one, other) => Number(one["replayId"]) - Number(other["replayId"]));
}

const buildHeader = (event: Data | undefined): Data =>
  asData(asData(event?.["payload"])["ChangeEventHeader"]);

/** Returns the values of an event that are not null. */
function listValues(event: Data | undefined): Data {
  const { ChangeEventHeader: _header, ...values } = asData(event?.["payload"]);
  const plain = asData(JSON.parse(JSON.stringify(values)));
  return Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== null));
}

const getName = (event: Data): unknown => listValues(event)["Name"];

async function catchFault(heard: Heard): Promise<unknown[]> {
  await until(() => heard.isOver && heard.errors.length > 0);
  const { code, metadata } = heard.errors[0] as Error & { code: number; metadata: Metadata };
  return [code, ...metadata.get("error-code")];
}
type Metadata = { get(name: string): unknown[] };
const PREFIX = "sfdc.platform.eventbus.grpc.";

test("it reads creations, updates and deletions with exact values, and the names of the changed fields", async () => {
  const client = await connect();
  const heard = await hear((callback) => client.subscribe(CHANNEL, callback));
  const name = "Kungälv „Nord” 🚢";
  const id = await create("Account", { Name: name, BillingCity: "Oslo", NumberOfEmployees: 41, Phone: "1" });
  await change("Account", id, { BillingCity: "Turku", Phone: null, NumberOfEmployees: -7 });
  await change("Account", id, { BillingStreet: null, BillingCity: null });
  assert.equal((await api("DELETE", `${DATA}/sobjects/Account/${id}`)).status, 204);
  sandbox.salesforce.account.restore("Account", id);
  const [created, changed, emptied, deleted, restored] = await untilEvents(heard, 5);

  const { commitNumber, commitTimestamp, transactionKey, ...header } = buildHeader(created);
  assert.deepEqual(header, {
    entityName: "Account",
    recordIds: [id],
    changeType: "CREATE",
    changeOrigin: "com/salesforce/api/rest/60.0",
    sequenceNumber: 1,
    commitUser: USER_ID,
    nulledFields: [],
    diffFields: [],
    changedFields: [],
  });
  assert.ok(typeof commitNumber === "bigint" && commitNumber > 2n ** 53n);
  assert.match(String(transactionKey), /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/);
  assert.ok(Math.abs(Date.now() - Number(commitTimestamp)) < 60_000);
  const { CreatedDate, LastModifiedDate, ...values } = listValues(created);
  assert.deepEqual([CreatedDate, Number(CreatedDate) % 1_000], [LastModifiedDate, 0]);
  assert.deepEqual(values, {
    Name: name,
    Phone: "1",
    NumberOfEmployees: 41,
    Active__c: false,
    BillingAddress: { Street: null, City: "Oslo", State: null, PostalCode: null, Country: null },
    CreatedById: USER_ID,
    LastModifiedById: USER_ID,
    OwnerId: USER_ID,
  });

  assert.equal(buildHeader(changed)["changeType"], "UPDATE");
  assert.deepEqual(buildHeader(changed)["changedFields"], [
    "LastModifiedDate",
    "Phone",
    "NumberOfEmployees",
    "BillingAddress.City",
  ]);
  assert.deepEqual(buildHeader(changed)["nulledFields"], ["Phone"]);
  const { LastModifiedDate: _time, ...update } = listValues(changed);
  assert.deepEqual(update, {
    NumberOfEmployees: -7,
    BillingAddress: { Street: null, City: "Turku", State: null, PostalCode: null, Country: null },
  });
  assert.deepEqual(buildHeader(emptied)["changedFields"], ["LastModifiedDate", "BillingAddress.City"]);

  assert.deepEqual([buildHeader(deleted)["changeType"], listValues(deleted)], ["DELETE", {}]);
  assert.equal(buildHeader(restored)["changeType"], "UNDELETE");
  assert.equal(listValues(restored)["Name"], name);
});

test("it reads events of several objects, of several records, gaps, and a schema that has changed", async () => {
  const client = await connect();
  const heard = await hear((callback) => client.subscribe(CHANNEL, callback));
  const contact = await create("Contact", { LastName: "Sol", Email: "sol@fabrikam.example" });
  await change("Contact", contact, { FirstName: "Ines" });
  const machines = [
    await create("Machine__c", { Name: "Lathe" }),
    await create("Machine__c", { Name: "Mill" }),
  ];
  await api("PATCH", `${DATA}/composite/sobjects`, {
    allOrNone: true,
    records: machines.map((id) => ({ attributes: { type: "Machine__c" }, id, Name: "Press" })),
  });
  bus.emit("Contact", "GAP_UPDATE", [contact]);
  bus.emit("Account", "GAP_OVERFLOW", ["000000000000000AAA"]);
  await addNumber("Machine__c.Torque__c");
  const id = machines[0] ?? "";
  sandbox.salesforce.account.put("Machine__c", { id, values: { Torque__c: 0.1 }, stamp: true });
  const events = await untilEvents(heard, 8);
  const seen = events.map((event) => {
    const { entityName, changeType, recordIds, changedFields } = buildHeader(event);
    return [entityName, changeType, recordIds, changedFields];
  });
  assert.deepEqual(seen, [
    ["Contact", "CREATE", [contact], []],
    ["Contact", "UPDATE", [contact], ["LastModifiedDate", "Name.FirstName"]],
    ["Machine__c", "CREATE", [machines[0]], []],
    ["Machine__c", "CREATE", [machines[1]], []],
    ["Machine__c", "UPDATE", machines, ["LastModifiedDate", "Name"]],
    ["Contact", "GAP_UPDATE", [contact], []],
    ["Account", "GAP_OVERFLOW", ["000000000000000AAA"], []],
    ["Machine__c", "UPDATE", [machines[0]], ["LastModifiedDate", "Torque__c"]],
  ]);
  assert.equal(listValues(events[7])["Torque__c"], 0.1);
  assert.deepEqual(listValues(events[1])["Name"], { Salutation: null, FirstName: "Ines", LastName: null });
});

test("it goes on after keepalives, asks for more than a hundred events, and gets those after a replay id", async () => {
  set({ keepaliveMs: 30 });
  const client = await connect();
  const heard = await hear((callback) => client.subscribe(CHANNEL, callback));
  await until(() => heard.keepalives >= 3);
  const id = await create("Account", { Name: "0" });
  for (let number = 1; number < 150; number++) {
    sandbox.salesforce.account.put("Account", { id, values: { Name: `${number}` }, stamp: true });
  }
  const events = await untilEvents(heard, 150);
  const names = events.map(getName);
  assert.deepEqual(
    names,
    Array.from({ length: 150 }, (_, number) => `${number}`),
  );

  const other = await connect();
  const from = Number(events[139]?.["replayId"]);
  const later = await hear((callback) => other.subscribeFromReplayId(CHANNEL, callback, 10, from));
  const rest = await untilEvents(later, 10);
  assert.deepEqual(rest.map(getName), names.slice(140));
  await until(() => later.isLast);
  const earliest = await connect();
  const whole = await hear((callback) => earliest.subscribeFromEarliestEvent(CHANNEL, callback));
  assert.deepEqual((await untilEvents(whole, 150)).map(getName), names);
});

test("it hears why a call is refused: an expired replay id, a token that is not valid, an unknown topic", async () => {
  const client = await connect();
  const heard = await hear((callback) => client.subscribe(CHANNEL, callback));
  await create("Account", { Name: "Old" });
  const [event] = await untilEvents(heard, 1);
  bus.expire();
  const refused = await connect();
  const from = Number(event?.["replayId"]);
  const expired = await hear((callback) => refused.subscribeFromReplayId(CHANNEL, callback, 10, from));
  const stranger = await connect("00DSb0000000001!no");
  const unsigned = await hear((callback) => stranger.subscribe(CHANNEL, callback));
  const lost = await connect();
  const unknown = await hear((callback) => lost.subscribe("/data/Nothing__chn", callback));
  assert.deepEqual(await catchFault(expired), [3, `${PREFIX}subscription.fetch.replayid.corrupted`]);
  assert.deepEqual(await catchFault(unsigned), [16, `${PREFIX}service.auth.error`]);
  assert.deepEqual(await catchFault(unknown), [5, `${PREFIX}topic.not.found`]);
});
