/** Synchronous writes to Salesforce: every rule of writing, seen in Salesforce's own records. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { shareTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { assertProblem } from "./assert-problem.ts";

const busbar = await shareTestBusbar();

const acme = await connectCustomer(busbar, {
  provider: "salesforce",
  objects: ["Contact", "Account", "Machine__c"],
});

describe("writing to Salesforce", () => {
  beforeEach(() => busbar.sandbox.clearRequests());

  const write = (object: string, body: object) => acme.write(object, body);
  const succeed = (object: string, body: object) => acme.succeed(object, body);
  let count = 0;
  const fresh = (more: object = {}) => ({ LastName: `Fresh ${++count}`, ...more });
  const stored = (object: string, id: string) =>
    busbar.sandbox.records("salesforce", object).find((record) => record["Id"] === id);
  const countStored = (object: string) => busbar.sandbox.records("salesforce", object).length;
  const sent = () => busbar.sandbox.requests({ provider: "salesforce" });
  const patch = async (object: string, path: string, value: unknown): Promise<void> => {
    const answer = await busbar.inProject(
      "PATCH",
      `/integrations/salesforce/objects/${object}/config-content`,
      {
        groupRef: "acme",
        action: "write",
        changes: [{ op: "add", path, value }],
      },
    );
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.id, acme.installationId);
  };
  const configure = (settings: object) => patch("Account", "/selectedFieldSettings", settings);

  test("`type=create` writes a new record; the id is returned in the response, and so is the record", async () => {
    const { result } = await succeed("Contact", { type: "create", record: fresh({ Title: "CEO" }) });
    assert.equal(result.data.Title, "CEO");
    assert.equal(stored("Contact", result.recordId)?.["Title"], "CEO");
  });

  test("`type=update` changes the record of that id, and answers it as it now is", async () => {
    const body = { type: "update", record: { id: "003Sb0000000002IAA", Title: "CTO" } };
    const { result } = await succeed("Contact", body);
    assert.equal(result.recordId, "003Sb0000000002IAA");
    assert.equal(result.data.Title, "CTO");
    assert.equal(stored("Contact", result.recordId)?.["LastName"], "Moore");
  });

  test("a single write is one call, the record included", async () => {
    await succeed("Contact", { type: "create", record: fresh() });
    assert.equal(sent().length, 1);
  });

  test("a custom object is written like any other", async () => {
    const record = { Name: "Generator 2", Serial_Number__c: "SN-0002" };
    const { result } = await succeed("Machine__c", { type: "create", record });
    assert.equal(stored("Machine__c", result.recordId)?.["Serial_Number__c"], "SN-0002");
  });

  test("what Salesforce refuses is reported in its words", async () => {
    const answer = await write("Contact", { type: "create", record: { FirstName: "No last name" } });
    const problem = assertProblem(answer, 422, "provider-refused");
    assert.match(problem.detail, /LastName/);
    assert.match(problem.rawResponse, /REQUIRED_FIELD_MISSING/);
    const missing = await write("Contact", {
      type: "update",
      record: { id: "003Sb0000000999IAA", Title: "x" },
    });
    assertProblem(missing, 422, "record-not-found");
  });

  describe("delete", () => {
    test("works only where deletion is enabled in the installation, and is switched on by JSON Patch", async () => {
      const { result } = await succeed("Contact", { type: "create", record: fresh() });
      const remove = { type: "delete", record: { id: result.recordId } };
      assertProblem(await write("Contact", remove), 400);
      await patch("Contact", "/deletionSettings", { enabled: true });
      const deleted = await succeed("Contact", remove);
      assert.equal(deleted.result.success, true);
      assert.equal(stored("Contact", result.recordId), undefined);
      const again = await write("Contact", remove);
      assertProblem(again, 422, "record-not-found");
    });

    test("of one object does not enable that of another", async () => {
      assertProblem(await write("Account", { type: "delete", record: { id: "001Sb0000000003IAA" } }), 400);
    });

    test("is synchronous whatever `mode` says, and forwards headers", async () => {
      const { result } = await succeed("Contact", { type: "create", record: fresh() });
      busbar.sandbox.clearRequests();
      const headers = [{ key: "Sforce-Call-Options", value: "client=busbar" }];
      const record = { id: result.recordId };
      const deleted = await succeed("Contact", { type: "delete", mode: "asynchronous", record, headers });
      assert.equal(deleted.result.success, true);
      assert.equal(sent()[0]?.headers["sforce-call-options"], "client=busbar");
    });
  });

  test("associations are refused, single and per item, before anything is sent", async () => {
    const associations = [
      { to: { id: "1" }, types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 1 }] },
    ];
    const bodies = [{ record: fresh(), associations }, { batch: [{ record: fresh(), associations }] }];
    for (const body of bodies) {
      const answer = await write("Contact", { type: "create", ...body });
      assert.match(assertProblem(answer, 400, "unsupported-by-provider").detail, /Salesforce/);
    }
    assert.equal(sent().length, 0);
  });

  describe("headers", () => {
    test("are forwarded: a duplicate that only alerts is saved when the header says so", async () => {
      const record = fresh({ Email: "ada.king@northwind.example" });
      const refused = await write("Contact", { type: "create", record });
      assert.match(assertProblem(refused, 422, "record-conflict").rawResponse, /DUPLICATES_DETECTED/);
      const headers = [{ key: "Sforce-Duplicate-Rule-Header", value: "allowSave=true" }];
      const { result } = await succeed("Contact", { type: "create", record, headers });
      assert.equal(stored("Contact", result.recordId)?.["Email"], "ada.king@northwind.example");
    });

    test("are forwarded with a batch too", async () => {
      const batch = [{ record: fresh({ Email: "ada.king@northwind.example" }) }, { record: fresh() }];
      const headers = [{ key: "Sforce-Duplicate-Rule-Header", value: "allowSave=true" }];
      const answer = await succeed("Contact", { type: "create", batch, headers });
      assert.equal(answer.successCount, 2);
    });

    const kept = ["Authorization", "cookie", "X-API-Key", "Host", "Content-Length", "transfer-encoding"];
    for (const key of [...kept, "not a name", ""]) {
      test(`never carry \`${key}\``, async () => {
        const headers = [{ key, value: "x" }];
        const answer = await write("Contact", { type: "create", record: fresh(), headers });
        assert.match(assertProblem(answer, 400).issues[0].name, /headers\[0\]/);
        assert.equal(sent().length, 0);
      });
    }

    test("cannot smuggle a line", async () => {
      const headers = [{ key: "X-Fine", value: "a\r\nAuthorization: Bearer stolen" }];
      assertProblem(await write("Contact", { type: "create", record: fresh(), headers }), 400);
      assert.equal(sent().length, 0);
    });
  });

  describe("a batch", () => {
    test("of 100 records is created, one result each in the order of the request", async () => {
      const batch = Array.from({ length: 100 }, (_, index) => ({ record: fresh({ Title: `T${index}` }) }));
      const answer = await succeed("Contact", { type: "create", batch });
      assert.equal(answer.successCount, 100);
      const titles = answer.results.map(
        (result: { recordId: string }) => stored("Contact", result.recordId)?.["Title"],
      );
      assert.deepEqual(
        titles,
        batch.map((_, index) => `T${index}`),
      );
    });

    test("is partial by default: what succeeds is committed, what fails says why", async () => {
      const batch = [{ record: fresh() }, { record: { FirstName: "Nobody" } }, { record: fresh() }];
      const answer = await succeed("Contact", { type: "create", batch });
      const { successCount, failureCount, results, errors } = answer;
      assert.deepEqual([successCount, failureCount], [2, 1]);
      assert.deepEqual(
        results.map((result: { success: boolean }) => result.success),
        [true, false, true],
      );
      assert.match(errors[0].message, /batch\[1\].*LastName/);
    });

    test("with `allOrNone` fails as a whole if any record fails, creates and updates alike", async () => {
      const before = countStored("Contact");
      const batchPolicy = { allOrNone: true };
      const creates = [{ record: fresh() }, { record: { FirstName: "Nobody" } }];
      const created = await write("Contact", { type: "create", batch: creates, batchPolicy });
      const problem = assertProblem(created, 422, "provider-refused");
      assert.deepEqual([problem.successCount, problem.failureCount], [0, 2]);
      // The first record was only rolled back; the detail has the reason.
      assert.match(problem.detail, /Required fields are missing: \[LastName\]/);
      assert.equal(countStored("Contact"), before);
      const updates = [
        { record: { id: "003Sb0000000003IAA", Title: "Rolled back" } },
        { record: { id: "003Sb0000000999IAA", Title: "Nobody" } },
      ];
      const updated = await write("Contact", { type: "update", batch: updates, batchPolicy });
      assertProblem(updated, 422, "provider-refused");
      assert.notEqual(stored("Contact", "003Sb0000000003IAA")?.["Title"], "Rolled back");
    });

    test("of updates is partial by default", async () => {
      const batch = [
        { record: { id: "003Sb0000000003IAA", Title: "Kept" } },
        { record: { id: "003Sb0000000999IAA", Title: "Nobody" } },
      ];
      const answer = await succeed("Contact", { type: "update", batch });
      assert.deepEqual([answer.successCount, answer.failureCount], [1, 1]);
      assert.equal(stored("Contact", "003Sb0000000003IAA")?.["Title"], "Kept");
    });

    test("may update one record twice; the later one stands", async () => {
      const batch = ["First", "Second"].map((Title) => ({ record: { id: "003Sb0000000004IAA", Title } }));
      const answer = await succeed("Contact", { type: "update", batch });
      assert.equal(answer.successCount, 2, JSON.stringify(answer));
      assert.equal(stored("Contact", "003Sb0000000004IAA")?.["Title"], "Second");
    });
  });

  describe("field settings of the installation", () => {
    const account = async (more: object): Promise<string> =>
      (await succeed("Account", { type: "create", record: { Name: `Account ${++count}`, ...more } })).result
        .recordId;

    test("`writeOnCreate=never` and `writeOnUpdate=never` omit the field there and only there", async () => {
      await configure({ BillingCity: { writeOnCreate: "never" }, Website: { writeOnUpdate: "never" } });
      const id = await account({ BillingCity: "Paris", Website: "https://first.example" });
      const created = stored("Account", id);
      assert.deepEqual(
        [created?.["BillingCity"] ?? null, created?.["Website"]],
        [null, "https://first.example"],
      );
      const record = { id, BillingCity: "Rome", Website: "https://second.example" };
      await succeed("Account", { type: "update", record });
      const updated = stored("Account", id);
      assert.deepEqual([updated?.["BillingCity"], updated?.["Website"]], ["Rome", "https://first.example"]);
    });

    test("settings hold for a field whose name is written in another case", async () => {
      await configure({ BillingCity: { writeOnCreate: "never" } });
      assert.equal(stored("Account", await account({ billingcity: "Paris" }))?.["BillingCity"] ?? null, null);
    });

    test("`writeOnUpdate=ifEmpty` writes the field only if it is empty, single and in a batch", async () => {
      await configure({ BillingCity: { writeOnUpdate: "ifEmpty" } });
      const [full, empty] = [await account({ BillingCity: "Lima" }), await account({})];
      busbar.sandbox.clearRequests();
      const batch = [full, empty].map((id) => ({ record: { id, BillingCity: "Quito" } }));
      await succeed("Account", { type: "update", batch });
      assert.deepEqual(
        [full, empty].map((id) => stored("Account", id)?.["BillingCity"]),
        ["Lima", "Quito"],
      );
      assert.equal(sent().length, 2);
      const { operationId } = await succeed("Account", {
        type: "update",
        record: { id: full, BillingCity: "Cusco", Website: "https://new.example" },
      });
      assert.equal(stored("Account", full)?.["BillingCity"], "Lima");
      assert.equal(stored("Account", full)?.["Website"], "https://new.example");
      const logs = await busbar.inProject("GET", `/operations/${operationId}/logs`);
      assert.match(logs.text, /BillingCity.*ifEmpty/);
    });

    test("a default is applied to a field that is missing from the request, of any of the three kinds", async () => {
      await configure({
        BillingCity: { default: { stringValue: "Default" } },
        NumberOfEmployees: { default: { integerValue: 7 } },
        Active__c: { default: { booleanValue: false } },
      });
      const missing = stored("Account", await account({}));
      assert.deepEqual(
        [missing?.["BillingCity"], missing?.["NumberOfEmployees"], missing?.["Active__c"]],
        ["Default", 7, false],
      );
      assert.equal(stored("Account", await account({ BillingCity: "Given" }))?.["BillingCity"], "Given");
    });
  });
});
