/** Changing an installation: update masks and JSON Patch, checked, kept, and felt by writes and proxied calls. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { connectCustomer, openTestBusbar, type TestBusbar } from "../harness/busbar.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: "*/30 * * * *"
          requiredFields: [{ fieldName: email }]
          optionalFields: [{ fieldName: phone }, { fieldName: city }]
        - objectName: crm.custom.thing
          destination: hook
          optionalFields: [{ fieldName: name }]
    write:
      objects:
        - objectName: contacts
        - objectName: companies
    subscribe:
      objects:
        - objectName: contacts
          destination: hook
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
    proxy:
      enabled: true
`;

const CONTENT = {
  read: { objects: { contacts: { selectedFields: { phone: true } } } },
  proxy: { enabled: true },
};

describe("changing an installation", () => {
  let on: TestBusbar;
  let ids: { connectionId: string; installationId: string };
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
  });

  /** A group of its own for every test. */
  let groupRef = "";
  let count = 0;
  beforeEach(async () => {
    groupRef = `group-${++count}`;
    ids = await connectCustomer(on, {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "crm",
      groupRef,
      content: CONTENT,
    });
  });

  const path = () => `/integrations/crm/installations/${ids.installationId}`;
  const update = (updateMask: string[], installation: object) =>
    on.inProject("PATCH", path(), { updateMask, installation });
  const updateContent = (updateMask: string[], content: object) =>
    update(updateMask, { config: { content } });
  const patch = (
    action: string,
    changes: object[],
    objectName = "contacts",
    which: object = { installationId: ids.installationId },
  ) =>
    on.inProject("PATCH", `/integrations/crm/objects/${objectName}/config-content`, {
      action,
      changes,
      ...which,
    });
  const show = async () => (await on.inProject("GET", path())).body;

  describe("by updateMask", () => {
    test("one read object is replaced as a whole; everything outside the mask stays and is ignored in the body", async () => {
      const was = await show();
      const answer = await update(["config.content.read.objects.contacts"], {
        connectionId: "ignored",
        config: {
          createdBy: "ignored",
          content: { read: { objects: { contacts: { selectedFields: { city: true } } } }, proxy: "ignored" },
        },
      });
      assert.equal(answer.status, 200, answer.text);
      const { config, connection, updateTime } = answer.body;
      assert.deepEqual(config.content.read.objects.contacts, {
        objectName: "contacts",
        selectedFields: { city: true },
        selectedFieldMappings: {},
      });
      assert.deepEqual(config.content.proxy, { enabled: true });
      assert.equal(connection.id, ids.connectionId);
      assert.equal(config.createdBy, "api:update-installation");
      assert.notEqual(config.id, was.config.id);
      assert.ok(updateTime);
      assert.deepEqual(await show(), answer.body);
    });

    test("a read object is paused and resumed by its `disabled` alone", async () => {
      const mask = ["config.content.read.objects.contacts.disabled"];
      const paused = await updateContent(mask, { read: { objects: { contacts: { disabled: true } } } });
      assert.equal(paused.status, 200, paused.text);
      const { contacts } = paused.body.config.content.read.objects;
      assert.deepEqual([contacts.disabled, contacts.selectedFields], [true, { phone: true }]);
      const resumed = await updateContent(mask, { read: { objects: { contacts: { disabled: false } } } });
      assert.equal(resumed.body.config.content.read.objects.contacts.disabled, false);
    });

    for (const written of ["crm.custom.thing", "crm\\.custom\\.thing"]) {
      test(`the object name in \`${written}\` is found although it holds dots`, async () => {
        const object = { objectName: "crm.custom.thing", selectedFields: { name: true } };
        const answer = await updateContent([`config.content.read.objects.${written}`], {
          read: { objects: { "crm.custom.thing": object } },
        });
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(answer.body.config.content.read.objects["crm.custom.thing"].selectedFields, {
          name: true,
        });
        const paused = await updateContent([`config.content.read.objects.${written}.disabled`], {
          read: { objects: { "crm.custom.thing": { disabled: true } } },
        });
        assert.equal(paused.body.config.content.read.objects["crm.custom.thing"].disabled, true, paused.text);
      });
    }

    test("the maps of write and subscribe objects are replaced as a whole", async () => {
      const answer = await updateContent(
        ["config.content.write.objects", "config.content.subscribe.objects"],
        {
          write: { objects: { companies: {} } },
          subscribe: { objects: { contacts: { deleteEvent: { enabled: "always" } } } },
        },
      );
      assert.equal(answer.status, 200, answer.text);
      const { write, subscribe } = answer.body.config.content;
      assert.deepEqual(write.objects, { companies: { objectName: "companies" } });
      assert.deepEqual(subscribe.objects.contacts, {
        objectName: "contacts",
        destination: "hook",
        inheritFieldsAndMappings: true,
        deleteEvent: { enabled: "always" },
      });
      const refused = await on.write("crm", "contacts", {
        groupRef,
        type: "create",
        record: { email: "mask@example.com" },
      });
      assert.equal(refused.status, 400, refused.text);
      const emptied = await updateContent(["config.content.write.objects"], { write: { objects: {} } });
      assert.deepEqual(emptied.body.config.content.write.objects, {}, emptied.text);
    });

    test("the first write object to be configured leaves the others writable", async () => {
      const answer = await updateContent(["config.content.write.objects.contacts"], {
        write: { objects: { contacts: { deletionSettings: { enabled: true } } } },
      });
      assert.equal(answer.status, 200, answer.text);
      const { objects } = answer.body.config.content.write;
      assert.deepEqual(objects.contacts, { objectName: "contacts", deletionSettings: { enabled: true } });
      const body = { groupRef, type: "create", record: { name: "Still writable" } };
      const written = await on.write("crm", "companies", body);
      assert.equal(written.status, 200, written.text);
    });

    test("one subscribe object is replaced", async () => {
      const answer = await updateContent(["config.content.subscribe.objects.contacts"], {
        subscribe: { objects: { contacts: { createEvent: { enabled: "never" } } } },
      });
      assert.equal(
        answer.body.config.content.subscribe.objects.contacts.createEvent.enabled,
        "never",
        answer.text,
      );
    });

    test("switching the proxy off holds for the next proxied call", async () => {
      const proxied = () =>
        fetch(`${on.busbar.urls.proxy}/crm/v3/objects/contacts?limit=1`, {
          headers: {
            "x-api-key": on.apiKey,
            "x-amp-proxy-version": "1",
            "x-amp-project-id": on.projectId,
            "x-amp-installation-id": ids.installationId,
          },
        });
      assert.equal((await proxied()).status, 200);
      const answer = await updateContent(["config.content.proxy.enabled"], { proxy: { enabled: false } });
      assert.equal(answer.status, 200, answer.text);
      // The news travels beside the answer.
      const deadline = performance.now() + 5_000;
      let status = 200;
      while (status === 200 && performance.now() < deadline) ({ status } = await proxied());
      assert.equal(status, 403);
    });

    test("who configured can be said", async () => {
      const answer = await update(["config.createdBy"], { config: { createdBy: "consumer:42" } });
      assert.equal(answer.body.config.createdBy, "consumer:42", answer.text);
      assert.equal(answer.body.createdBy, "api:create-installation");
    });

    test("an empty mask changes nothing", async () => {
      const was = await show();
      const answer = await update([], { config: { content: { proxy: { enabled: false } } } });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, was);
    });

    test("every wrong path is named, by its place in the mask, and nothing is changed", async () => {
      const was = await show();
      const mask = [
        "config.content.proxy.enabled",
        "config.content.read.objects.contacts.schedule",
        "config.content.write.objects.contacts",
        "__proto__.polluted",
      ];
      const answer = await updateContent(mask, { proxy: { enabled: false } });
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(
        answer.body.issues.map((issue: { name: string }) => issue.name),
        ["updateMask[1]", "updateMask[2]", "updateMask[3]"],
      );
      assert.match(answer.body.issues[1].detail, /no value/);
      assert.deepEqual(await show(), was);
    });

    test("a configuration that does not fit the manifest is refused as on create, and nothing is changed", async () => {
      const was = await show();
      const answer = await updateContent(["config.content.read.objects.contacts"], {
        read: { objects: { contacts: { schedule: "every day" } } },
      });
      assert.equal(answer.status, 422, answer.text);
      assert.equal(answer.body.issues[0].name, "config.content.read.objects.contacts.schedule");
      const unknown = await updateContent(["config.content.read.objects.contact"], {
        read: { objects: { contact: {} } },
      });
      assert.match(unknown.body.detail, /not an object of `read`/);
      assert.match(unknown.body.issues[0].remedy, /contacts/);
      assert.deepEqual(await show(), was);
    });

    test("only a connection of the same group and provider can be named", async () => {
      const [other] = (await on.inProject("GET", "/connections?groupRef=group-1")).body;
      const foreign = await update(["connectionId"], { connectionId: other.id });
      assert.equal(foreign.status, 422, foreign.text);
      assert.equal(foreign.body.issues[0].name, "installation.connectionId");
      assert.match(foreign.body.detail, /group-1/);

      const tokens = on.sandbox.salesforce.mintToken();
      const salesforce = await on.inProject("POST", "/connections:generate", {
        provider: "salesforce",
        groupRef,
        consumerRef: "admin",
        providerWorkspaceRef: "acme",
        oauth2AuthorizationCode: { accessToken: { token: tokens.accessToken } },
      });
      const provider = await update(["connectionId"], { connectionId: salesforce.body.id });
      assert.equal(provider.status, 422, provider.text);
      assert.match(provider.body.detail, /integration of hubspot/);

      const nobody = await update(["connectionId"], { connectionId: ids.installationId });
      assert.equal(nobody.status, 422, nobody.text);
      const same = await update(["connectionId"], { connectionId: ids.connectionId });
      assert.equal(same.status, 200, same.text);
      assert.equal((await show()).connection.id, ids.connectionId);
    });

    test("changes made at the same time are all kept", async () => {
      const fields = Array.from({ length: 12 }, (_, index) => `field${index}`);
      const answers = await Promise.all([
        ...fields.map((field) =>
          patch("write", [{ op: "add", path: `/setting_${field}`, value: true }], "contacts"),
        ),
        updateContent(["config.content.proxy.enabled"], { proxy: { enabled: false } }),
      ]);
      for (const answer of answers) assert.equal(answer.status, 200, answer.text);
      const { content } = (await show()).config;
      for (const field of fields)
        assert.equal(content.write.objects.contacts[`setting_${field}`], true, field);
      assert.equal(content.proxy.enabled, false);
    });

    test("an object that the manifest has since lost does not block a change of another one", async () => {
      const lost = MANIFEST.replaceAll("name: crm\n", "name: crm-shrinking\n");
      const integration = "crm-shrinking";
      const other = await on.inProject("PUT", "/integrations:batch", { sourceYaml: lost });
      assert.equal(other.status, 200, other.text);
      const objects = {
        contacts: { selectedFields: { phone: true } },
        "crm.custom.thing": { selectedFields: { name: true } },
      };
      const made = await on.inProject("POST", `/integrations/${integration}/installations`, {
        groupRef,
        config: { content: { read: { objects } } },
      });
      assert.equal(made.status, 201, made.text);
      const shrunk = lost.replace(/ {8}- objectName: crm\.custom\.thing\n.*\n.*\n/, "");
      assert.equal((await on.inProject("PUT", "/integrations:batch", { sourceYaml: shrunk })).status, 200);
      const change = (name: string) =>
        on.inProject("PATCH", `/integrations/${integration}/installations/${made.body.id}`, {
          updateMask: [`config.content.read.objects.${name}`],
          installation: { config: { content: { read: { objects } } } },
        });
      const answer = await change("contacts");
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.body.config.content.read.objects["crm.custom.thing"]);
      assert.notEqual(answer.body.config.revisionId, made.body.config.revisionId);
      assert.equal((await change("crm.custom.thing")).status, 422);
    });
  });

  describe("by JSON Patch", () => {
    test("deletion is switched on, replaced and removed for one object of a group", async () => {
      const which = { groupRef };
      const added = await patch(
        "write",
        [{ op: "add", path: "/deletionSettings", value: { enabled: true } }],
        "contacts",
        which,
      );
      assert.equal(added.status, 200, added.text);
      assert.equal(added.body.id, ids.installationId);
      assert.equal(added.body.config.content.write.objects.contacts.deletionSettings.enabled, true);
      const replaced = await patch(
        "write",
        [{ op: "replace", path: "/deletionSettings", value: { enabled: false } }],
        "contacts",
        which,
      );
      assert.equal(replaced.body.config.content.write.objects.contacts.deletionSettings.enabled, false);
      const removed = await patch("write", [{ op: "remove", path: "/deletionSettings" }], "contacts", which);
      assert.deepEqual(removed.body.config.content.write.objects.contacts, { objectName: "contacts" });
    });

    test("read and subscribe objects are patched as well, field names with slashes included", async () => {
      const read = await patch("read", [
        { op: "add", path: "/schedule", value: "0 * * * *" },
        { op: "add", path: "/selectedFields/a~1b", value: true },
        { op: "remove", path: "/selectedFields/phone" },
      ]);
      assert.equal(read.status, 200, read.text);
      const { contacts } = read.body.config.content.read.objects;
      assert.deepEqual([contacts.schedule, contacts.selectedFields], ["0 * * * *", { "a/b": true }]);
      const subscribe = await patch("subscribe", [
        { op: "add", path: "/deleteEvent", value: { enabled: "always" } },
      ]);
      assert.equal(
        subscribe.body.config.content.subscribe.objects.contacts.destination,
        "hook",
        subscribe.text,
      );
    });

    test("an operation that cannot be carried out is named by its index, and none of them is", async () => {
      const was = await show();
      const answer = await patch("write", [
        { op: "add", path: "/deletionSettings", value: { enabled: true } },
        { op: "replace", path: "/selectedFieldSettings/email", value: {} },
      ]);
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.body.issues[0].name, "changes[1].path");
      assert.match(answer.body.detail, /selectedFieldSettings/);
      assert.deepEqual(await show(), was);
    });

    test("a result that does not fit names the place and the operation", async () => {
      const answer = await patch("write", [
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
      const answer = await patch("write", [{ op: "add", path: "/objectName", value: "companies" }]);
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.body.detail, /must stay `contacts`/);
    });

    test("the empty path removes the object from the configuration", async () => {
      const answer = await patch("read", [{ op: "remove", path: "" }]);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.body.config.content.read.objects, {});
    });

    const refusals: [string, number, () => Promise<{ status: number; text: string; body: unknown }>][] = [
      [
        "both groupRef and installationId",
        400,
        () =>
          patch("write", [{ op: "remove", path: "/x" }], "contacts", {
            groupRef,
            installationId: ids.installationId,
          }),
      ],
      ["neither of them", 400, () => patch("write", [{ op: "remove", path: "/x" }], "contacts", {})],
      [
        "a group without installation",
        404,
        () => patch("write", [{ op: "remove", path: "/x" }], "contacts", { groupRef: "nobody" }),
      ],
      [
        "an unknown installation",
        404,
        () =>
          patch("write", [{ op: "remove", path: "/x" }], "contacts", { installationId: ids.connectionId }),
      ],
      [
        "an object that is not of the manifest",
        400,
        () => patch("write", [{ op: "remove", path: "/x" }], "contact"),
      ],
      ["no changes", 400, () => patch("write", [])],
      [
        "an operation that is not offered",
        400,
        () => patch("write", [{ op: "move", from: "/a", path: "/b" }]),
      ],
      ["an action that is not offered", 400, () => patch("proxy", [{ op: "remove", path: "/x" }])],
      ["add without a value", 400, () => patch("write", [{ op: "add", path: "/x" }])],
      ["a pointer that is none", 400, () => patch("write", [{ op: "add", path: "x", value: 1 }])],
      [
        "the place of a prototype",
        400,
        () => patch("write", [{ op: "replace", path: "/__proto__/x", value: 1 }]),
      ],
    ];
    for (const [what, status, call] of refusals) {
      test(`${what} is refused with ${status}`, async () => {
        const was = await show();
        const answer = await call();
        assert.equal(answer.status, status, answer.text);
        assert.deepEqual(await show(), was);
      });
    }
  });
});
