/** The life of a customer as the builder's webhook hears it: connected, installed, changed, written for, gone. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Webhook } from "svix";
import { EVENT_TYPES, type EventType } from "../../server/events/event-types.ts";
import { buildNotificationSchema } from "../../server/events/notification.ts";
import { drawRoute, type TestDestination } from "../harness/deliveries/routes.ts";
import { openSink, type Received } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";
import { createValidator } from "../../server/http/validation.ts";
import { shareTestBusbar } from "../harness/busbar.ts";
import { installCrm } from "./installed-crm.ts";

const sink = await openSink();
const busbar = await shareTestBusbar();
after(() => sink.close());

const hook: TestDestination = await drawRoute(busbar, `${sink.url}/hook`, [...EVENT_TYPES]);
const crm = await installCrm(busbar, "acme");

describe("events of a customer's life", () => {
  /** The message of this type, its signature and its members verified. */
  const heard = async (type: EventType): Promise<Received["message"]["data"]> => {
    const one = await until(() => sink.received.find(({ message }) => message.notificationType === type));
    new Webhook(hook.signingKey).verify(one.body, one.headers);
    createValidator(buildNotificationSchema(type), "body")(one.message);
    return one.message.data;
  };

  test("connecting and installing are reported with whose they are and what was chosen", async () => {
    const connection = await heard("connection.created");
    assert.equal(connection["connectionId"], crm.connectionId);
    const { installationId, groupRef, integrationName, config } = await heard("installation.created");
    assert.deepEqual([installationId, groupRef, integrationName], [crm.installationId, "acme", "crm"]);
    assert.deepEqual(config, (await crm.show()).config.content);
  });

  test("a change is reported with the configuration before and after", async () => {
    const before = (await crm.show()).config.content;
    await crm.updateContent(["config.content.proxy.enabled"], { proxy: { enabled: false } });
    const { config, lastConfig } = await heard("installation.updated");
    assert.deepEqual(lastConfig, before);
    assert.deepEqual(config, (await crm.show()).config.content);
  });

  test("an asynchronous write is reported with its operation and the ids of its records", async () => {
    const accepted = await busbar.write("crm", "contacts", {
      groupRef: "acme",
      type: "create",
      mode: "asynchronous",
      record: { email: "ada@example.com" },
    });
    const { operationId } = accepted.body;
    const data = await heard("write.async.done");
    assert.deepEqual(
      [data["operationId"], data["objectName"], data["success"]],
      [operationId, "contacts", true],
    );
    const operation = await busbar.inProject("GET", `/operations/${operationId}`);
    assert.equal(operation.body.status, "success");
    assert.deepEqual(data["successfulRecordIds"], operation.body.metadata.successfulRecordIds);
  });

  test("an uninstalled customer is told of with the last configuration", async () => {
    const { content } = (await crm.show()).config;
    await busbar.inProject("DELETE", `/integrations/crm/installations/${crm.installationId}`);
    const data = await heard("installation.deleted");
    assert.equal(data["installationId"], crm.installationId);
    assert.deepEqual(data["config"], content);
    const connection = await heard("connection.deleted");
    assert.equal(connection["connectionId"], crm.connectionId, "nobody else used it, so it went too");
  });

  test("an integration that is deleted tells of its customers and of the connections that go with them", async () => {
    const other = await installCrm(busbar, "globex");
    await busbar.inProject("DELETE", "/integrations/crm");
    for (const type of ["installation.deleted", "connection.deleted"]) {
      await until(() =>
        sink.received.some(
          ({ message }) =>
            message.notificationType === type && message.data["connectionId"] === other.connectionId,
        ),
      );
    }
  });

  test("everything was reported once", () => {
    // A message that comes again, as on a busy machine, has the same id.
    const reported = sink.messagesAt("/hook").map(({ body }) => body);
    assert.deepEqual([...new Set(reported)], reported);
  });
});
