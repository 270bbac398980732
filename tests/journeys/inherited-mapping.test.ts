/** With `inheritMapping` records are written under the names the customer mapped for reading. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { drawRoute } from "../harness/deliveries/routes.ts";
import { openSink } from "../harness/deliveries/sink.ts";
import { shareTestBusbar, type Answer } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { until } from "../harness/until.ts";
import { assertProblem } from "./assert-problem.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hub
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          destination: hook
          requiredFields:
            - fieldName: email
            - fieldName: firstname
              mapToName: givenName
            - mapToName: role
          optionalFields:
            - mapToName: notes
            - mapToName: stage
    write:
      objects:
        - objectName: contacts
          inheritMapping: true
  - name: force
    provider: salesforce
    read:
      objects:
        - objectName: Contact
          destination: hook
          requiredFields:
            - fieldName: LastName
          optionalFields:
            - mapToName: home
            - mapToName: level
            - mapToName: post
    write:
      objects:
        - objectName: Contact
`;

const busbar = await shareTestBusbar();

const hub = await connectCustomer(busbar, {
  provider: "hubspot",
  manifest: MANIFEST,
  integration: "hub",
  content: {
    read: {
      objects: {
        contacts: {
          selectedFieldMappings: { role: "jobtitle", stage: "lifecyclestage" },
          selectedValueMappings: { stage: { Client: "customer", Prospect: "lead" } },
        },
      },
    },
  },
});
const force = await connectCustomer(busbar, {
  provider: "salesforce",
  manifest: MANIFEST,
  integration: "force",
  content: {
    read: {
      objects: {
        Contact: {
          selectedFieldMappings: { home: "$['MailingAddress']['city']", level: "Title", post: "Email" },
        },
      },
    },
    write: {
      objects: {
        Contact: { inheritMapping: true, selectedFieldSettings: { level: { writeOnUpdate: "never" } } },
      },
    },
  },
});

describe("with inherited mappings", () => {
  beforeEach(() => busbar.sandbox.clearRequests());

  let count = 0;
  const create = async (record: object, object = "contacts"): Promise<Answer["body"]> => {
    const full = { email: `mapped-${++count}@example.com`, ...record };
    const answer = await hub.succeed(object, { type: "create", record: full });
    const id = answer.result.recordId;
    const stored = busbar.sandbox.records("hubspot", "contacts").find((row) => row["id"] === id);
    return { ...answer, stored };
  };

  test("names that the manifest mapped, and names that the customer mapped, are written to their fields", async () => {
    const { stored } = await create({ givenName: "Ada", role: "Engineer", lastname: "Plain" });
    assert.deepEqual([stored.firstname, stored.jobtitle, stored.lastname], ["Ada", "Engineer", "Plain"]);
  });

  test("delivered values are turned into the provider's; values without a mapping stay", async () => {
    assert.equal((await create({ stage: "Client" })).stored.lifecyclestage, "customer");
    assert.equal((await create({ stage: "opportunity" })).stored.lifecyclestage, "opportunity");
  });

  test("a name that the customer left unmapped is dropped, and the operation says so", async () => {
    const { operationId, stored } = await create({ notes: "nowhere to go" });
    assert.doesNotMatch(JSON.stringify(stored), /nowhere to go/);
    const logs = await busbar.inProject("GET", `/operations/${operationId}/logs`);
    assert.match(logs.text, /notes.*not mapped/);
  });

  test("the object may be written under its mapped name, which refusals of other names offer", async () => {
    const { stored } = await create({ givenName: "Via mapped name" }, "person");
    assert.equal(stored.firstname, "Via mapped name");
    const slip = await busbar.write("hubb", "person", { groupRef: "acme", type: "create", record: {} });
    assert.match(slip.body.detail, /There is no integration `hubb` in this project. Did you mean "hub"\?/);
    for (const [name, says] of [
      ["persons", /Did you mean "person"\?/],
      ["site", /It has: person\./],
    ] as const) {
      const refused = await hub.write(name, { type: "create", record: {} });
      assert.match(refused.body.detail, says);
    }
  });

  test("results of writes, and their events, have the builder's name for the object, as those of reads do", async () => {
    const ended = async (operationId: string) => {
      const { body } = await busbar.inProject("GET", `/operations/${operationId}`);
      return [body.result, body.metadata.objects, body.resource];
    };
    const expected = ["[person] Created 1 record", ["person"], "contacts"];
    const sink = await openSink();
    await drawRoute(busbar, `${sink.url}/told`, ["write.async.done"]);
    const record = { email: `mapped-${++count}@example.com` };
    const { body } = await hub.write("contacts", { type: "create", mode: "asynchronous", record });
    const [reported] = await until(() => sink.at("/told").length > 0 && sink.at("/told"));
    await sink.close();
    assert.equal(reported?.message.data["objectName"], "person");
    assert.deepEqual(await ended(body.operationId), expected);
    assert.deepEqual(await ended((await create({})).operationId), expected);
  });

  test("records of a batch are mapped one by one", async () => {
    const batch = ["One", "Two"].map((givenName) => ({
      record: { email: `mapped-${++count}@example.com`, givenName },
    }));
    const answer = await hub.succeed("contacts", { type: "create", batch });
    const names = answer.results.map((result: Answer["body"]) => result.data.properties.firstname);
    assert.deepEqual(names, ["One", "Two"]);
  });

  describe("a refusal names the field as the caller wrote it,", () => {
    const broken = { stage: "nonsense" };
    const named = /stage, at the provider lifecyclestage/;
    const messages = (answer: Answer) =>
      answer.body.errors.map(({ message }: { message: string }) => message) as string[];
    const email = () => `mapped-${++count}@example.com`;

    test("of one record, and of one of a batch", async () => {
      const one = await hub.write("contacts", { type: "create", record: broken });
      assert.match(messages(assertProblem(one, 422) && one)[0] ?? "", named);
      assert.match(one.body.detail, named);
      const batch = [{ record: { email: email() } }, { record: broken }];
      const partial = await hub.write("contacts", { type: "create", batch });
      assert.equal(partial.body.successCount, 1, partial.text);
      assert.match(messages(partial)[0] ?? "", /^batch\[1\]: .*stage, at the provider lifecyclestage/);
    });

    test("in an all-or-none batch for the record that has it, and the detail tells its reason", async () => {
      const batch = [
        { record: { email: email(), stage: "Client" } },
        { record: { email: email(), ...broken } },
        { record: { email: email() } },
      ];
      const answer = await hub.write("contacts", { type: "create", batch, batchPolicy: { allOrNone: true } });
      assertProblem(answer, 422);
      const [first, second, third] = messages(answer);
      assert.match(second ?? "", /^batch\[1\]: nonsense was not .*stage, at the provider lifecyclestage/);
      for (const other of [first, third])
        assert.match(other ?? "", /allOrNone is set and another record failed/);
      assert.match(answer.body.detail, /written: nonsense was not/);
    });

    test("where it has no other name, too", async () => {
      const answer = await hub.write("contacts", { type: "create", record: { email: "x@y", lastname: "Z" } });
      assert.match(messages(answer)[0] ?? "", /Email address x@y is invalid \(field email\)/);
    });

    test("in the operation of an asynchronous write", async () => {
      const body = { type: "create", mode: "asynchronous", record: broken };
      const { operationId } = (await hub.write("contacts", body)).body;
      const ended = await until(async () => {
        const { body: operation } = await busbar.inProject("GET", `/operations/${operationId}`);
        return operation.status === "failure" && operation;
      });
      assert.match(ended.result, named);
    });

    test("at Salesforce", async () => {
      const record = { LastName: "X", post: "not-an-address" };
      const answer = await force.write("Contact", { type: "create", record });
      assert.match(messages(answer)[0] ?? "", /post, at the provider Email/);
    });
  });

  test("a nested path is written as an object in an object", async () => {
    const record = { id: "003Sb0000000001IAA", home: "Oslo" };
    const answer = await force.write("Contact", { type: "update", record });
    // The sandbox has no compound addresses; what counts is what was sent.
    assertProblem(answer, 422);
    const [request] = busbar.sandbox.requests({ provider: "salesforce" });
    assert.match(String(request?.body), /"MailingAddress":\{"city":"Oslo"\}/);
  });

  test("the flag in the installation is enough, and a setting under the mapped name holds for the field", async () => {
    const record = { LastName: "Mapped", level: "Chief" };
    const created = await force.succeed("Contact", { type: "create", record });
    const { recordId, data } = created.result;
    assert.equal(data.Title, "Chief");
    const update = { id: recordId, level: "Intern", FirstName: "Max" };
    const updated = await force.succeed("Contact", { type: "update", record: update });
    assert.equal(updated.result.data.FirstName, "Max");
    const stored = busbar.sandbox.records("salesforce", "Contact").find((row) => row["Id"] === recordId);
    assert.equal(stored?.["Title"], "Chief");
  });
});
