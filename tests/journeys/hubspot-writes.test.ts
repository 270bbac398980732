/** Synchronous writes to HubSpot: every rule of writing, seen in HubSpot's own records. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { shareTestBusbar, type Answer } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { assertProblem } from "./assert-problem.ts";

const busbar = await shareTestBusbar();

busbar.sandbox.hubspot.setLimits("off");
const acme = await connectCustomer(busbar, {
  provider: "hubspot",
  objects: ["contacts", "companies", "deals"],
});

describe("writing to HubSpot", () => {
  beforeEach(() => busbar.sandbox.clearRequests());

  const write = (object: string, body: object) => acme.write(object, body);
  const succeed = (object: string, body: object) => acme.succeed(object, body);
  let count = 0;
  const fresh = (more: object = {}) => ({ email: `fresh-${++count}@example.com`, ...more });
  const stored = (object: string, id: string) =>
    busbar.sandbox.records("hubspot", object).find((record) => record["id"] === id);
  const sent = () => busbar.sandbox.requests({ provider: "hubspot" });
  const patch = (object: string, changes: object[]) =>
    busbar.inProject("PATCH", `/integrations/hubspot/objects/${object}/config-content`, {
      installationId: acme.installationId,
      action: "write",
      changes,
    });
  const configure = async (object: string, settings: object): Promise<void> => {
    const answer = await patch(object, [{ op: "add", path: "/selectedFieldSettings", value: settings }]);
    assert.equal(answer.status, 200, answer.text);
  };

  test("`type=create` writes a new record; the id is returned in the response, and so is the record", async () => {
    const record = fresh({ firstname: "New" });
    const { result } = await succeed("contacts", { type: "create", record });
    assert.equal(result.success, true);
    assert.equal(result.data.properties.firstname, "New");
    assert.equal(stored("contacts", result.recordId)?.["email"], record.email);
  });

  test("`type=update` changes the record of that id, and answers it as it now is", async () => {
    const body = { type: "update", record: { id: "502", jobtitle: "Head" } };
    const { result } = await succeed("contacts", body);
    assert.equal(result.recordId, "502");
    assert.equal(result.data.properties.jobtitle, "Head");
    assert.equal(stored("contacts", "502")?.["jobtitle"], "Head");
  });

  test("an update of a record that there is not is refused with the provider's reason", async () => {
    const answer = await write("contacts", { type: "update", record: { id: "999999", jobtitle: "x" } });
    const problem = assertProblem(answer, 422, "record-not-found");
    assert.ok(problem.errors[0].message);
    assert.equal(problem.retryable, false);
  });

  describe("delete", () => {
    test("works only where deletion is enabled in the installation, and is switched on by JSON Patch", async () => {
      const { result } = await succeed("contacts", { type: "create", record: fresh() });
      const remove = { type: "delete", record: { id: result.recordId } };
      assertProblem(await write("contacts", remove), 400);
      assert.ok(stored("contacts", result.recordId));
      const enabled = await patch("contacts", [
        { op: "add", path: "/deletionSettings", value: { enabled: true } },
      ]);
      assert.equal(enabled.status, 200, enabled.text);
      const deleted = await succeed("contacts", remove);
      assert.deepEqual(deleted.result.success, true);
      assert.equal(stored("contacts", result.recordId), undefined);
      const operation = await busbar.inProject("GET", `/operations/${deleted.operationId}`);
      assert.equal(operation.body.status, "success");
    });

    test("is synchronous whatever `mode` says", async () => {
      const { result } = await succeed("contacts", { type: "create", record: fresh() });
      const body = { type: "delete", mode: "asynchronous", record: { id: result.recordId } };
      const deleted = await succeed("contacts", body);
      assert.equal(deleted.result.success, true);
      assert.equal(stored("contacts", result.recordId), undefined);
    });

    test("takes `record.id` and no other field, single records only", async () => {
      const refusals = [
        { record: { id: "503", email: "x@example.com" } },
        { record: {} },
        { batch: [{ record: { id: "503" } }] },
      ];
      for (const refusal of refusals) {
        assertProblem(await write("contacts", { type: "delete", ...refusal }), 400);
      }
      assert.ok(stored("contacts", "503"));
      assert.equal(sent().length, 0);
    });
  });

  describe("associations", () => {
    const toCompany = (id: string) => [
      { to: { id }, types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 279 }] },
    ];
    const listCompanies = async (id: string): Promise<string[]> => {
      const response = await fetch(
        `${busbar.sandbox.hubspot.url}/crm/v4/objects/contacts/${id}/associations/companies`,
        { headers: { authorization: `Bearer ${busbar.sandbox.hubspot.staticToken}` } },
      );
      const body = (await response.json()) as { results: { toObjectId: number | string }[] };
      return body.results.map(({ toObjectId }) => String(toObjectId));
    };

    test("are made with a single create", async () => {
      const body = { type: "create", record: fresh(), associations: toCompany("601") };
      const { result } = await succeed("contacts", body);
      assert.deepEqual(await listCompanies(result.recordId), ["601"]);
    });

    test("are made per item of a batch", async () => {
      const batch = [
        { record: fresh(), associations: toCompany("601") },
        { record: fresh() },
        { record: fresh(), associations: toCompany("602") },
      ];
      const { results } = await succeed("contacts", { type: "create", batch });
      const made = [];
      for (const { recordId } of results) made.push(await listCompanies(recordId));
      assert.deepEqual(made, [["601"], [], ["602"]]);
    });

    test("are refused on an update, and for a whole batch at once", async () => {
      const update = { type: "update", record: { id: "502" }, associations: toCompany("601") };
      assertProblem(await write("contacts", update), 400);
      const batch = { type: "create", batch: [{ record: fresh() }], associations: toCompany("601") };
      assertProblem(await write("contacts", batch), 400);
      assert.equal(sent().length, 0);
    });
  });

  describe("a batch", () => {
    test("of 100 records is created in one request, one result each in the order of the request", async () => {
      const batch = Array.from({ length: 100 }, (_, index) => ({
        record: fresh({ firstname: `N${index}` }),
      }));
      const answer = await succeed("contacts", { type: "create", batch });
      assert.deepEqual([answer.successCount, answer.failureCount], [100, 0]);
      const names = answer.results.map((result: Answer["body"]) => result.data.properties.firstname);
      assert.deepEqual(
        names,
        batch.map(({ record }) => (record as { firstname?: string }).firstname),
      );
      assert.equal(sent().length, 1);
      const operation = await busbar.inProject("GET", `/operations/${answer.operationId}`);
      assert.match(operation.body.result, /Batch write completed \(100 succeeded, 0 failed\)/);
      assert.equal(operation.body.metadata.successfulRecordIds.length, 100);
    });

    test("is partial by default: what succeeds is committed, what fails says why", async () => {
      const [first, last] = [fresh(), fresh()];
      const batch = [{ record: first }, { record: { email: "not an address" } }, { record: last }];
      const answer = await succeed("contacts", { type: "create", batch });
      assert.deepEqual(
        answer.results.map((result: Answer["body"]) => result.success),
        [true, false, true],
      );
      assert.equal(answer.errors.length, 1);
      assert.match(answer.errors[0].message, /batch\[1\]/);
      assert.equal(stored("contacts", answer.results[2].recordId)?.["email"], last.email);
      const operation = await busbar.inProject("GET", `/operations/${answer.operationId}`);
      assert.equal(operation.body.status, "success");
    });

    test("with `allOrNone` fails as a whole if any record fails", async () => {
      const before = busbar.sandbox.records("hubspot", "contacts").length;
      const batch = [{ record: fresh() }, { record: { email: "not an address" } }];
      const answer = await write("contacts", { type: "create", batch, batchPolicy: { allOrNone: true } });
      const problem = assertProblem(answer, 422, "provider-refused");
      assert.deepEqual([problem.successCount, problem.failureCount], [0, 2]);
      assert.equal(problem.results.length, 2);
      assert.equal(busbar.sandbox.records("hubspot", "contacts").length, before);
      const operation = await busbar.inProject("GET", `/operations/${problem.operationId}`);
      assert.equal(operation.body.status, "failure");
    });

    test("of updates is partial whatever `allOrNone` says", async () => {
      const batch = [
        { record: { id: "501", jobtitle: "Kept" } },
        { record: { id: "999999", jobtitle: "Nobody" } },
      ];
      const body = { type: "update", batch, batchPolicy: { allOrNone: true } };
      const answer = await succeed("contacts", body);
      assert.deepEqual([answer.successCount, answer.failureCount], [1, 1]);
      assert.equal(stored("contacts", "501")?.["jobtitle"], "Kept");
    });

    test("may update one record twice; the later one stands", async () => {
      const batch = ["First", "Second"].map((jobtitle) => ({ record: { id: "504", jobtitle } }));
      const answer = await succeed("contacts", { type: "update", batch });
      assert.equal(answer.successCount, 2);
      assert.equal(stored("contacts", "504")?.["jobtitle"], "Second");
    });

    test("is not failed by one record's unknown property", async () => {
      const batch = [
        { record: { id: "501", jobtitle: "Innocent" } },
        { record: { id: "502", no_such_property: "x" } },
      ];
      const answer = await succeed("contacts", { type: "update", batch });
      assert.deepEqual(
        answer.results.map((result: Answer["body"]) => result.success),
        [true, false],
      );
      assert.equal(stored("contacts", "501")?.["jobtitle"], "Innocent");
      assert.match(answer.errors[0].message, /no_such_property/);
    });
  });

  describe("field settings of the installation", () => {
    test("`writeOnCreate=never` omits the field on create and not on update", async () => {
      await configure("companies", { city: { writeOnCreate: "never" } });
      const record = { name: "No city", city: "Paris" };
      const { result, operationId } = await succeed("companies", { type: "create", record });
      assert.equal(stored("companies", result.recordId)?.["city"] ?? null, null);
      const logs = await busbar.inProject("GET", `/operations/${operationId}/logs`);
      assert.match(logs.text, /writeOnCreate is never/);
      await succeed("companies", { type: "update", record: { id: result.recordId, city: "Rome" } });
      assert.equal(stored("companies", result.recordId)?.["city"], "Rome");
    });

    test("`writeOnUpdate=never` omits the field on update and not on create", async () => {
      await configure("companies", { city: { writeOnUpdate: "never" } });
      const record = { name: "Fixed city", city: "Oslo" };
      const { result } = await succeed("companies", { type: "create", record });
      const update = { id: result.recordId, city: "Bergen", name: "Renamed" };
      await succeed("companies", { type: "update", record: update });
      const company = stored("companies", result.recordId);
      assert.deepEqual([company?.["name"], company?.["city"]], ["Renamed", "Oslo"]);
    });

    test("`writeOnUpdate=ifEmpty` writes the field only if it is empty, with one read for a whole batch", async () => {
      await configure("companies", { city: { writeOnUpdate: "ifEmpty" } });
      const create = (more: object) =>
        succeed("companies", { type: "create", record: { name: `Company ${++count}`, ...more } });
      const full = (await create({ city: "Lima" })).result.recordId;
      const empty = (await create({})).result.recordId;
      busbar.sandbox.clearRequests();
      const batch = [full, empty].map((id) => ({ record: { id, city: "Quito", phone: "1" } }));
      await succeed("companies", { type: "update", batch });
      assert.deepEqual(
        [full, empty].map((id) => [stored("companies", id)?.["city"], stored("companies", id)?.["phone"]]),
        [
          ["Lima", "1"],
          ["Quito", "1"],
        ],
      );
      assert.equal(sent().filter(({ path }) => path.includes("/batch/read")).length, 1);
      assert.equal(sent().length, 2);
    });

    test("a default is applied to a field that is missing from the request, of any of the three kinds", async () => {
      await configure("companies", {
        city: { default: { stringValue: "Default city" } },
        numberofemployees: { default: { integerValue: 7 } },
      });
      const create = (more: object) =>
        succeed("companies", { type: "create", record: { name: `Company ${++count}`, ...more } });
      const missing = stored("companies", (await create({})).result.recordId);
      assert.deepEqual([missing?.["city"], missing?.["numberofemployees"]], ["Default city", "7"]);
      const given = stored("companies", (await create({ city: "Given" })).result.recordId);
      assert.equal(given?.["city"], "Given");
    });
  });
});
