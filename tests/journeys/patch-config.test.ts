/** Changing the configuration of one object by JSON Patch. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { shareTestBusbar } from "../harness/busbar.ts";
import { installCrm, type InstalledCrm } from "./installed-crm.ts";

const busbar = await shareTestBusbar();

await busbar.inProject("POST", "/destinations", { name: "hook", type: "log", metadata: {} });

describe("an object's configuration is patched", () => {
  let crm: InstalledCrm;
  let count = 0;
  beforeEach(async () => {
    crm = await installCrm(busbar, `group-${++count}`);
  });

  test("deletion is switched on, replaced and removed for one object of a group", async () => {
    const which = { groupRef: crm.groupRef };
    const added = await crm.patch(
      "write",
      [{ op: "add", path: "/deletionSettings", value: { enabled: true } }],
      "contacts",
      which,
    );
    assert.equal(added.status, 200, added.text);
    assert.equal(added.body.id, crm.installationId);
    assert.equal(added.body.config.content.write.objects.contacts.deletionSettings.enabled, true);
    const replaced = await crm.patch(
      "write",
      [{ op: "replace", path: "/deletionSettings", value: { enabled: false } }],
      "contacts",
      which,
    );
    assert.equal(replaced.body.config.content.write.objects.contacts.deletionSettings.enabled, false);
    const removed = await crm.patch(
      "write",
      [{ op: "remove", path: "/deletionSettings" }],
      "contacts",
      which,
    );
    assert.deepEqual(removed.body.config.content.write.objects.contacts, { objectName: "contacts" });
  });

  test("read and subscribe objects are patched as well, field names with slashes included", async () => {
    const read = await crm.patch("read", [
      { op: "add", path: "/schedule", value: "0 * * * *" },
      { op: "add", path: "/selectedFields/a~1b", value: false },
      { op: "remove", path: "/selectedFields/phone" },
    ]);
    assert.equal(read.status, 200, read.text);
    const { contacts } = read.body.config.content.read.objects;
    assert.deepEqual([contacts.schedule, contacts.selectedFields], ["0 * * * *", { "a/b": false }]);
    const subscribe = await crm.patch("subscribe", [
      { op: "add", path: "/deleteEvent", value: { enabled: "always" } },
    ]);
    assert.equal(
      subscribe.body.config.content.subscribe.objects.contacts.destination,
      "hook",
      subscribe.text,
    );
  });

  test("an operation that cannot be carried out is named by its index, and none of them is", async () => {
    const was = await crm.show();
    const answer = await crm.patch("write", [
      { op: "add", path: "/deletionSettings", value: { enabled: true } },
      { op: "replace", path: "/selectedFieldSettings/email", value: {} },
    ]);
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.body.issues[0].name, "changes[1].path");
    assert.match(answer.body.detail, /selectedFieldSettings/);
    assert.deepEqual(await crm.show(), was);
  });

  test("a result that does not fit names the place and the operation", async () => {
    const answer = await crm.patch("write", [
      { op: "add", path: "/deletionSettings", value: { enabled: true } },
      { op: "add", path: "/selectedFieldSettings", value: { email: { writeOnUpdate: "sometimes" } } },
    ]);
    assert.equal(answer.status, 422, answer.text);
    const [issue] = answer.body.issues;
    assert.equal(
      issue.name,
      "config.content.write.objects.contacts.selectedFieldSettings.email.writeOnUpdate",
    );
    assert.equal(issue.operation, 1);
  });

  test("an object keeps its name", async () => {
    const answer = await crm.patch("write", [{ op: "add", path: "/objectName", value: "companies" }]);
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.body.detail, /must stay `contacts`/);
  });

  test("the empty path removes the object from the configuration", async () => {
    const answer = await crm.patch("read", [{ op: "remove", path: "" }]);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body.config.content.read.objects, {});
  });

  const refusals: [string, number, () => Promise<{ status: number; text: string; body: unknown }>][] = [
    [
      "both groupRef and installationId",
      400,
      () =>
        crm.patch("write", [{ op: "remove", path: "/x" }], "contacts", {
          groupRef: crm.groupRef,
          installationId: crm.installationId,
        }),
    ],
    ["neither of them", 400, () => crm.patch("write", [{ op: "remove", path: "/x" }], "contacts", {})],
    [
      "a group without installation",
      404,
      () => crm.patch("write", [{ op: "remove", path: "/x" }], "contacts", { groupRef: "nobody" }),
    ],
    [
      "an unknown installation",
      404,
      () =>
        crm.patch("write", [{ op: "remove", path: "/x" }], "contacts", { installationId: crm.connectionId }),
    ],
    [
      "an object that is not of the manifest",
      400,
      () => crm.patch("write", [{ op: "remove", path: "/x" }], "contact"),
    ],
    ["no changes", 400, () => crm.patch("write", [])],
    [
      "an operation that is not offered",
      400,
      () => crm.patch("write", [{ op: "move", from: "/a", path: "/b" }]),
    ],
    ["an action that is not offered", 400, () => crm.patch("proxy", [{ op: "remove", path: "/x" }])],
    ["add without a value", 400, () => crm.patch("write", [{ op: "add", path: "/x" }])],
    ["a pointer that is none", 400, () => crm.patch("write", [{ op: "add", path: "x", value: 1 }])],
    [
      "the place of a prototype",
      400,
      () => crm.patch("write", [{ op: "replace", path: "/__proto__/x", value: 1 }]),
    ],
  ];
  for (const [what, status, call] of refusals) {
    test(`${what} is refused with ${status}`, async () => {
      const was = await crm.show();
      const answer = await call();
      assert.equal(answer.status, status, answer.text);
      assert.deepEqual(await crm.show(), was);
    });
  }
});
