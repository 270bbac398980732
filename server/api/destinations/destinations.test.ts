/** Destinations, topics and routes through the API: what is taken, refused, shown and kept secret. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { sql } from "kysely";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { addPerson } from "../../../tests/harness/people.ts";
import { openSink } from "../../../tests/harness/deliveries/sink.ts";
import { openDatabase } from "../../store/database/open-database.ts";
import { createLog } from "../../../ground/log.ts";
import { reopenDatabase } from "../../../tests/harness/database.ts";

const sink = await openSink();
const busbar = await shareTestBusbar();
after(() => sink.close());

describe("destinations, topics and routes", () => {
  const url = "https://example.com/hooks";
  let counter = 0;
  const create = (body: object = {}) =>
    busbar.inProject("POST", "/destinations", {
      name: `hook-${(counter += 1)}`,
      type: "webhook",
      metadata: { url },
      ...body,
    });

  test("a signing key is replaced by a POST, or by the deprecated parameter, and by no other request", async () => {
    await create({ name: "turning" });
    await create({ name: "unsigned", type: "log", metadata: {} });
    const key = async () =>
      (await busbar.inProject("GET", "/destinations/turning?includeSecrets=true")).body.secrets
        .webhookSigningKey;
    const before = await key();
    const rename = { updateMask: ["name"], destination: { name: "turning" } };
    const patched = await busbar.inProject("PATCH", "/destinations/turning?rotate=true", rename);
    assert.deepEqual([patched.status, patched.body.issues[0].name], [400, "rotate"]);
    assert.equal(await key(), before);
    const quiet = await busbar.inProject("POST", "/destinations/turning:rotate");
    assert.deepEqual([quiet.status, quiet.body.secrets], [200, undefined], quiet.text);
    const second = await key();
    assert.notEqual(second, before);
    const shown = await busbar.inProject("GET", "/destinations/turning?rotate=true&includeSecrets=true");
    assert.notEqual(shown.body.secrets.webhookSigningKey, second);
    assert.equal((await busbar.inProject("POST", "/destinations/unsigned:rotate")).status, 422);
  });

  test("every type is listed with the schemas of its settings, and only those that are built can be created", async () => {
    const { status, body } = await busbar.call("GET", "/v1/destination-types", undefined, {
      "x-api-key": "",
    });
    assert.equal(status, 200);
    for (const { type, built, metadataSchema, secretsSchema, description } of body) {
      assert.match(description, /\.$/, type);
      const asked = { name: "typed", type, metadata: { url: 7 } };
      const refused = await busbar.inProject("POST", "/destinations", asked);
      // A log has no settings that could be wrong.
      const expected = type === "log" ? 201 : built ? 400 : 501;
      assert.equal(refused.status, expected, `${type}: ${refused.text}`);
      assert.equal(metadataSchema.type, "object");
      assert.equal(secretsSchema?.type ?? "object", "object");
    }
    const sqs = body.find(({ type }: { type: string }) => type === "sqs");
    assert.deepEqual(Object.keys(sqs.secretsSchema.properties), [
      "awsKeyId",
      "awsSecretKey",
      "awsSessionToken",
    ]);
    assert.deepEqual(sqs.metadataSchema.required, ["queueUrl"]);
  });

  test("a project has at most as many destinations as the operator allows", async () => {
    const { body } = await busbar.inProject("GET", "/destinations");
    await busbar.restart({ BUSBAR_PROJECT_DESTINATIONS: String(body.length + 1) });
    const [last, tooMany] = [await create(), await create()];
    await busbar.restart({ BUSBAR_PROJECT_DESTINATIONS: "1000" });
    assert.deepEqual([last.status, tooMany.status], [201, 409], tooMany.text);
    assert.match(tooMany.body.detail, /BUSBAR_PROJECT_DESTINATIONS/);
  });

  test("a destination is found by id and by name, and shows its signing key only when asked", async () => {
    const created = await create({ name: "my-hook", secrets: null });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(Object.keys(created.body).toSorted(), ["createTime", "id", "metadata", "name", "type"]);
    for (const name of [created.body.id, "my-hook"]) {
      const shown = await busbar.inProject("GET", `/destinations/${name}`);
      const { health, ...rest } = shown.body;
      assert.deepEqual(rest, created.body);
      assert.deepEqual(health, { state: "idle", waiting: 0, failed: 0 });
    }
    const secret = await busbar.inProject("GET", "/destinations/my-hook?includeSecrets=true");
    assert.match(secret.body.secrets.webhookSigningKey, /^whsec_[A-Za-z0-9+/]{32}$/);
    assert.ok(!(await busbar.inProject("GET", "/destinations")).text.includes("whsec_"));
    assert.equal((await busbar.inProject("DELETE", "/destinations/my-hook")).status, 204);
    assert.equal((await busbar.inProject("GET", "/destinations/my-hook")).status, 404);
  });

  test("values of headers and secrets in the address are shown to nobody who may not change them", async () => {
    const metadata = { url: `${url}?token=secret`, headers: { authorization: "Bearer of-the-receiver" } };
    const { id } = (await create({ metadata })).body;
    const key = await busbar.inProject("POST", "/api-keys", { label: "reports", scopes: ["read-only"] });
    const shownTo = async (headers: Record<string, string>) => {
      const one = await busbar.inProject("GET", `/destinations/${id}`, undefined, headers);
      const all = await busbar.inProject("GET", "/destinations", undefined, headers);
      const listed = all.body.find((destination: { id: string }) => destination.id === id);
      assert.deepEqual(listed.metadata, one.body.metadata);
      return one.body.metadata;
    };
    const hidden = { url: `${url}?…`, headers: { authorization: "…" } };
    assert.deepEqual(await shownTo({ "x-api-key": key.body.key }), hidden);
    for (const role of ["viewer", "support"] as const)
      assert.deepEqual(await shownTo((await addPerson(busbar, role)).headers), hidden, role);
    const editor = (await addPerson(busbar, "editor")).headers;
    assert.deepEqual(await shownTo(editor), metadata);
    assert.deepEqual(await shownTo({}), metadata);
    const save = (shown: object) =>
      busbar.inProject(
        "PATCH",
        `/destinations/${id}`,
        { updateMask: ["metadata"], destination: { metadata: shown } },
        editor,
      );
    assert.equal((await save(await shownTo(editor))).status, 200);
    assert.deepEqual(await shownTo(editor), metadata);
    // What somebody else copied from their page.
    const copied = await save({ url: hidden.url });
    assert.deepEqual([copied.status, copied.body.issues[0].name], [422, "destination.metadata.url"]);
  });

  test("names are unique in a project and made of letters, digits and dashes", async () => {
    assert.equal((await create({ name: "twice" })).status, 201);
    assert.equal((await create({ name: "twice" })).status, 409);
    const other = await create({ name: "other" });
    const renamed = await busbar.inProject("PATCH", `/destinations/${other.body.id}`, {
      updateMask: ["name"],
      destination: { name: "twice" },
    });
    assert.equal(renamed.status, 409);
    for (const name of ["a b", "-a", "a.b", "", "x".repeat(65)]) {
      const refused = await create({ name });
      assert.equal(refused.status, 422, name);
      assert.equal(refused.body.issues[0].name, "name");
    }
  });

  test("faulty settings are refused with the place and the reason", async () => {
    const cases: [object, number, string][] = [
      [{ type: "webhook", metadata: {} }, 400, "metadata.url"],
      [{ type: "webhook", metadata: { url: 7 } }, 400, "metadata.url"],
      [{ type: "webhook", metadata: { url: "http://example.com" } }, 422, "metadata.url"],
      [{ type: "webhook", metadata: { url, headers: { Host: "x" } } }, 422, "metadata.headers.Host"],
      [{ type: "slack", metadata: { url } }, 422, "metadata.url"],
      [{ type: "pigeon", metadata: {} }, 422, "type"],
    ];
    for (const [body, status, name] of cases) {
      const refused = await create(body);
      assert.equal(refused.status, status, refused.text);
      assert.equal(refused.body.issues[0].name, name, refused.text);
    }
    for (const type of ["azureblob", "eventbridge", "gcs", "kafka", "sns"]) {
      const notYet = await create({ type, metadata: {} });
      assert.equal(notYet.status, 501);
      assert.match(notYet.body.detail, new RegExp(`\`${type}\` are not built yet`));
    }
  });

  test("an update changes what the mask names, checks the whole, and refuses paths that are not", async () => {
    const { body } = await create({ metadata: { url, headers: { a: "b" } } });
    const patch = (updateMask: string[], destination: object) =>
      busbar.inProject("PATCH", `/destinations/${body.id}`, { updateMask, destination });
    const moved = await patch(["metadata.url"], {
      name: "ignored",
      metadata: { url: `${url}/2`, headers: {} },
    });
    assert.deepEqual(moved.body.metadata, { url: `${url}/2`, headers: { a: "b" } });
    assert.equal(moved.body.name, body.name);
    assert.ok(moved.body.updateTime);
    const bare = await patch(["metadata.headers"], { metadata: { headers: null } });
    assert.deepEqual(bare.body.metadata, { url: `${url}/2` });
    const whole = await patch(["metadata", "type"], {
      type: "webhook",
      metadata: { url, headers: { c: "d" } },
    });
    assert.deepEqual(whole.body.metadata, { url, headers: { c: "d" } });
    assert.equal((await patch(["metadata.url"], { metadata: {} })).status, 400);
    for (const path of [
      "colour",
      "metadata.colour",
      "metadata.streamName",
      "secrets.password",
      "metadata.url.x",
    ]) {
      const [group = "", member = ""] = path.split(".");
      const refused = await patch([path], { [group]: { [member]: "red" } });
      assert.equal(refused.status, 400, path);
      assert.equal(refused.body.issues[0].name, "updateMask", path);
    }
    assert.equal((await patch(["metadata.url"], { metadata: { url: "http://example.com" } })).status, 422);
    assert.equal((await patch(["type"], { type: "slack" })).status, 422);
  });

  test("secrets lie sealed in the database", async (t) => {
    const { body } = await create();
    const shown = await busbar.inProject("GET", `/destinations/${body.id}?includeSecrets=true`);
    const key = shown.body.secrets.webhookSigningKey;
    const database = await reopenDatabase(t, busbar);
    const { rows } = await database.pool.query("select * from destinations where id = $1", [body.id]);
    assert.match(rows[0].secrets_sealed, /^v1\.test\./);
    assert.ok(!JSON.stringify(rows[0]).includes(key));
  });

  test("a trial tells what happened, signed as a real message", async () => {
    const { body } = await create({ metadata: { url: `${sink.url}/trial` } });
    const tried = await busbar.inProject("POST", `/destinations/${body.id}:test`, {
      eventType: "write.async.done",
    });
    assert.equal(tried.status, 200, tried.text);
    assert.equal(tried.body.delivered, true);
    assert.equal(tried.body.attempt.status, 200);
    const [one] = sink.at("/trial");
    assert.equal(one?.headers["webhook-id"], tried.body.messageId);
    assert.equal(one?.message.notificationType, "write.async.done");
    sink.answer = (_received, response) => void response.writeHead(401).end("who are you?");
    const refused = await busbar.inProject("POST", `/destinations/${body.id}:test`);
    assert.equal(refused.body.delivered, false);
    assert.equal(refused.body.attempt.answer, "who are you?");
  });

  test("an AWS client reaches its service through the guarded door", async () => {
    sink.answer = (_received, response) =>
      void response
        .writeHead(200, { "content-type": "application/x-amz-json-1.1" })
        .end('{"ShardId":"s","SequenceNumber":"1"}');
    const createKinesis = (endpointUrl: string) =>
      create({
        type: "kinesis",
        metadata: {
          streamName: "events",
          region: "eu-west-1",
          endpointUrl,
          partitionKeyTemplate: "data.groupRef",
        },
        secrets: { awsKeyId: "AKID", awsSecretKey: "hush-hush" },
      });
    const { body } = await createKinesis(sink.url);
    const tried = await busbar.inProject("POST", `/destinations/${body.id}:test`);
    assert.equal(tried.body.delivered, true, tried.text);
    assert.ok(!tried.text.includes("hush"));
    const shown = await busbar.inProject("GET", `/destinations/${body.id}?includeSecrets=true`);
    assert.ok(!shown.text.includes("hush"));
    const { connectionString, dataUrl } = busbar;
    const database = await openDatabase({ connectionString, dataUrl, log: createLog("silent"), poolSize: 1 });
    await sql`
      update destinations set version = version + 1,
        metadata = jsonb_set(metadata, '{endpointUrl}', '"https://169.254.169.254"')
      where id = ${body.id}
    `.execute(database.queries);
    await database.close();
    const refused = await busbar.inProject("POST", `/destinations/${body.id}:test`);
    assert.match(refused.body.attempt.error, /private address/);
  });

  test("an address that is private by its name is refused, with the way to allow it", async () => {
    for (const host of ["10.0.0.1", "169.254.169.254", "[::ffff:10.0.0.1]", "0x7f.2", "[fd00::1]"]) {
      const refused = await create({ metadata: { url: `https://${host}/hooks` } });
      assert.equal(refused.status, 422, host);
      assert.match(refused.body.detail, /^metadata\.url: leads to .* private.* BUSBAR_EGRESS_ALLOW/);
    }
    const created = await create();
    const moved = await busbar.inProject("PATCH", `/destinations/${created.body.id}`, {
      updateMask: ["metadata.url"],
      destination: { metadata: { url: "https://192.168.1.1" } },
    });
    assert.equal(moved.status, 422);
    assert.match(moved.body.detail, /^destination\.metadata\.url: /);
    const broker = await create({
      type: "rabbitmq",
      metadata: { serverUrl: "10.0.0.1:5671", exchange: "e" },
      secrets: { username: "u", password: "p" },
    });
    assert.match(broker.body.detail, /^metadata\.serverUrl: leads to/);
  });

  test("a service that sends back what it was sent makes no secret readable", async () => {
    const awsSessionToken = "FwoGZXIvYXdzEXAMPLEsession+token==";
    const sent: string[] = [];
    sink.answer = ({ headers }, response) => {
      sent.push(headers["x-amz-security-token"] ?? "");
      response.writeHead(403).end(`<CanonicalRequest>${JSON.stringify(headers)}</CanonicalRequest>`);
    };
    const { body } = await create({
      type: "s3",
      metadata: { bucket: "events", region: "eu-west-1", endpointUrl: sink.url },
      secrets: { awsKeyId: "AKID", awsSecretKey: "hush-hush", awsSessionToken },
    });
    const tried = await busbar.inProject("POST", `/destinations/${body.id}:test`);
    assert.deepEqual(sent, [awsSessionToken]);
    assert.match(tried.body.attempt.answer, /"x-amz-security-token":"\[secret\]"/);
    assert.ok(!tried.text.includes(awsSessionToken));
  });

  test("topics are unique by name, renamed and deleted with their routes", async () => {
    const topic = await busbar.inProject("POST", "/topics", { name: "news" });
    assert.equal(topic.status, 201, topic.text);
    assert.equal((await busbar.inProject("POST", "/topics", { name: "news" })).status, 409);
    const other = await busbar.inProject("POST", "/topics", { name: "olds" });
    assert.equal((await busbar.inProject("PATCH", `/topics/${other.body.id}`, { name: "news" })).status, 409);
    const renamed = await busbar.inProject("PATCH", `/topics/${other.body.id}`, { name: "older" });
    assert.equal(renamed.body.name, "older");
    assert.deepEqual((await busbar.inProject("GET", `/topics/${other.body.id}`)).body, renamed.body);
    assert.equal((await busbar.inProject("GET", "/topics/older")).status, 404);
    const topicId = topic.body.id;
    const destinationId = (await create()).body.id;
    const event = await busbar.inProject("POST", "/notification-event-topic-routes", {
      topicId,
      eventType: "write.async.done",
    });
    assert.equal(event.status, 201, event.text);
    const route = await busbar.inProject("POST", "/topic-destination-routes", { topicId, destinationId });
    assert.equal(route.status, 201, route.text);
    for (const [path, body] of [
      ["/notification-event-topic-routes", { topicId, eventType: "write.async.done" }],
      ["/topic-destination-routes", { topicId, destinationId }],
    ] as const) {
      assert.equal((await busbar.inProject("POST", path, body)).status, 409, path);
      assert.equal((await busbar.inProject("GET", `${path}?topicId=${topicId}`)).body.length, 1);
      assert.deepEqual((await busbar.inProject("GET", `${path}?topicId=nothing`)).body, []);
    }
    assert.equal((await busbar.inProject("DELETE", `/topics/${topicId}`)).status, 204);
    for (const path of ["/notification-event-topic-routes", "/topic-destination-routes"]) {
      assert.deepEqual((await busbar.inProject("GET", `${path}?topicId=${topicId}`)).body, []);
    }
    assert.equal((await busbar.inProject("DELETE", `/topics/${topicId}`)).status, 404);
  });

  test("routes are drawn only between what exists, and go with the destination", async () => {
    const topicId = (await busbar.inProject("POST", "/topics", { name: "lonely" })).body.id;
    const nobody = "01890a5d-ac96-774b-bcce-b302099a8057";
    const wrong = await busbar.inProject("POST", "/notification-event-topic-routes", {
      topicId,
      eventType: "write.async.begun",
    });
    assert.equal(wrong.status, 422);
    for (const body of [
      { topicId, destinationId: nobody },
      { topicId: nobody, destinationId: (await create()).body.id },
      { topicId: "x", destinationId: "y" },
    ]) {
      assert.equal((await busbar.inProject("POST", "/topic-destination-routes", body)).status, 404);
    }
    const destinationId = (await create()).body.id;
    const route = await busbar.inProject("POST", "/topic-destination-routes", { topicId, destinationId });
    await busbar.inProject("DELETE", `/destinations/${destinationId}`);
    const gone = await busbar.inProject("DELETE", `/topic-destination-routes/${route.body.id}`);
    assert.equal(gone.status, 404);
  });
});
