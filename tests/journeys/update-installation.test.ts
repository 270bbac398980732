/** Changing an installation by update masks: checked, kept, and felt by writes and proxied calls. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { shareTestBusbar } from "../harness/busbar.ts";
import { installCrm, omitHealth, CRM_MANIFEST, type InstalledCrm } from "./installed-crm.ts";

const busbar = await shareTestBusbar();

await busbar.inProject("POST", "/destinations", { name: "hook", type: "log", metadata: {} });

describe("an installation is updated by mask", () => {
  let crm: InstalledCrm;
  let count = 0;
  beforeEach(async () => {
    crm = await installCrm(busbar, `group-${++count}`);
  });

  test("one read object is replaced as a whole; everything outside the mask stays and is ignored in the body", async () => {
    const was = await crm.show();
    const answer = await crm.update(["config.content.read.objects.contacts"], {
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
    assert.equal(connection.id, crm.connectionId);
    assert.equal(config.createdBy, "api:update-installation");
    assert.notEqual(config.id, was.config.id);
    assert.ok(updateTime);
    assert.deepEqual(await crm.show(), omitHealth(answer.body));
  });

  test("a configuration of more than a million characters is refused, however it is written", async () => {
    const otherEvents = Array.from({ length: 70_000 }, (_, index) => `contact.event${index}`);
    const contacts = {
      objectName: "contacts",
      destination: "hook",
      inheritFieldsAndMappings: true,
      otherEvents,
    };
    const content = { subscribe: { objects: { contacts } } };
    const was = await crm.show();
    for (const answer of [
      await crm.updateContent(["config.content.subscribe.objects"], content),
      await crm.patch("subscribe", [{ op: "add", path: "/otherEvents", value: otherEvents }]),
      await busbar.inProject("POST", "/integrations/crm/installations", {
        groupRef: crm.groupRef,
        config: { content: { provider: "hubspot", ...content } },
      }),
    ]) {
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.body.detail, /^config.content: has \d+ characters/);
    }
    assert.deepEqual(await crm.show(), was);
  });

  test("a read object is paused and resumed by its `disabled` alone", async () => {
    const mask = ["config.content.read.objects.contacts.disabled"];
    const paused = await crm.updateContent(mask, { read: { objects: { contacts: { disabled: true } } } });
    assert.equal(paused.status, 200, paused.text);
    const { contacts } = paused.body.config.content.read.objects;
    assert.deepEqual([contacts.disabled, contacts.selectedFields], [true, { phone: true }]);
    const resumed = await crm.updateContent(mask, { read: { objects: { contacts: { disabled: false } } } });
    assert.equal(resumed.body.config.content.read.objects.contacts.disabled, false);
  });

  for (const written of ["crm.custom.thing", "crm\\.custom\\.thing"]) {
    test(`the object name in \`${written}\` is found although it holds dots`, async () => {
      const object = { objectName: "crm.custom.thing", selectedFields: { name: true } };
      const answer = await crm.updateContent(
        [`config.content.read.objects.${written}`],
        { read: { objects: { "crm.custom.thing": object } } },
        "?skipSampling=true",
      );
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.body.config.content.read.objects["crm.custom.thing"].selectedFields, {
        name: true,
      });
      const paused = await crm.updateContent([`config.content.read.objects.${written}.disabled`], {
        read: { objects: { "crm.custom.thing": { disabled: true } } },
      });
      assert.equal(paused.body.config.content.read.objects["crm.custom.thing"].disabled, true, paused.text);
    });
  }

  test("the maps of write and subscribe objects are replaced as a whole", async () => {
    const answer = await crm.updateContent(
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
    const refused = await busbar.write("crm", "contacts", {
      groupRef: crm.groupRef,
      type: "create",
      record: { email: "mask@example.com" },
    });
    assert.equal(refused.status, 400, refused.text);
    const emptied = await crm.updateContent(["config.content.write.objects"], { write: { objects: {} } });
    assert.deepEqual(emptied.body.config.content.write.objects, {}, emptied.text);
  });

  test("the first write object to be configured leaves the others writable", async () => {
    const answer = await crm.updateContent(["config.content.write.objects.contacts"], {
      write: { objects: { contacts: { deletionSettings: { enabled: true } } } },
    });
    assert.equal(answer.status, 200, answer.text);
    const { objects } = answer.body.config.content.write;
    assert.deepEqual(objects.contacts, { objectName: "contacts", deletionSettings: { enabled: true } });
    const body = { groupRef: crm.groupRef, type: "create", record: { name: "Still writable" } };
    const written = await busbar.write("crm", "companies", body);
    assert.equal(written.status, 200, written.text);
  });

  test("one subscribe object is replaced", async () => {
    const answer = await crm.updateContent(["config.content.subscribe.objects.contacts"], {
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
      fetch(`${busbar.server.urls.proxy}/crm/v3/objects/contacts?limit=1`, {
        headers: {
          "x-api-key": busbar.apiKey,
          "x-amp-proxy-version": "1",
          "x-amp-project-id": busbar.projectId,
          "x-amp-installation-id": crm.installationId,
        },
      });
    assert.equal((await proxied()).status, 200);
    const answer = await crm.updateContent(["config.content.proxy.enabled"], { proxy: { enabled: false } });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await proxied()).status, 403);
  });

  test("the whole configuration is replaced, members of one's own and missing ones included; what is no object is refused", async () => {
    const { content } = (await crm.show()).config;
    const { read: _read, ...rest } = content;
    const replaced = await crm.updateContent(["config.content"], { ...rest, ours: { kept: true } });
    assert.deepEqual(replaced.body.config.content, { ...rest, ours: { kept: true } }, replaced.text);
    assert.equal((await crm.updateContent(["config.content"], content)).status, 200);
    assert.deepEqual((await crm.show()).config.content, content);
    const text = await crm.update(["config.content"], { config: { content: "nothing" } });
    assert.equal(text.body.issues[0].name, "updateMask[0]", text.text);
  });

  test("who configured can be said", async () => {
    const answer = await crm.update(["config.createdBy"], { config: { createdBy: "consumer:42" } });
    assert.equal(answer.body.config.createdBy, "consumer:42", answer.text);
    assert.equal(answer.body.createdBy, "api:create-installation");
  });

  test("an empty mask changes nothing", async () => {
    const was = await crm.show();
    const answer = await crm.update([], { config: { content: { proxy: { enabled: false } } } });
    assert.equal(answer.status, 200);
    assert.deepEqual(omitHealth(answer.body), was);
  });

  test("every wrong path is named, by its place in the mask, and nothing is changed", async () => {
    const was = await crm.show();
    const mask = [
      "config.content.proxy.enabled",
      "config.content.read.objects.contacts.schedule",
      "config.content.write.objects.contacts",
      "__proto__.polluted",
    ];
    const answer = await crm.updateContent(mask, { proxy: { enabled: false } });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(
      answer.body.issues.map((issue: { name: string }) => issue.name),
      ["updateMask[1]", "updateMask[2]", "updateMask[3]"],
    );
    assert.match(answer.body.issues[1].detail, /no value/);
    assert.deepEqual(await crm.show(), was);
  });

  test("a configuration that does not fit the manifest is refused as on create, and nothing is changed", async () => {
    const was = await crm.show();
    const answer = await crm.updateContent(["config.content.read.objects.contacts"], {
      read: { objects: { contacts: { schedule: "every day" } } },
    });
    assert.equal(answer.status, 422, answer.text);
    assert.equal(answer.body.issues[0].name, "config.content.read.objects.contacts.schedule");
    const unknown = await crm.updateContent(["config.content.read.objects.contact"], {
      read: { objects: { contact: {} } },
    });
    assert.match(unknown.body.detail, /not an object of `read`/);
    assert.match(unknown.body.issues[0].remedy, /contacts/);
    assert.deepEqual(await crm.show(), was);
  });

  test("only a connection of the same group and provider can be named", async () => {
    const [other] = (await busbar.inProject("GET", "/connections?groupRef=group-1")).body;
    const foreign = await crm.update(["connectionId"], { connectionId: other.id });
    assert.equal(foreign.status, 422, foreign.text);
    assert.equal(foreign.body.issues[0].name, "installation.connectionId");
    assert.match(foreign.body.detail, /group-1/);

    const tokens = busbar.sandbox.salesforce.mintToken();
    const salesforce = await busbar.inProject("POST", "/connections:generate", {
      provider: "salesforce",
      groupRef: crm.groupRef,
      consumerRef: "admin",
      providerWorkspaceRef: "acme",
      oauth2AuthorizationCode: { accessToken: { token: tokens.accessToken } },
    });
    const provider = await crm.update(["connectionId"], { connectionId: salesforce.body.id });
    assert.equal(provider.status, 422, provider.text);
    assert.match(provider.body.detail, /integration of hubspot/);

    const nobody = await crm.update(["connectionId"], { connectionId: crm.installationId });
    assert.equal(nobody.status, 422, nobody.text);
    const same = await crm.update(["connectionId"], { connectionId: crm.connectionId });
    assert.equal(same.status, 200, same.text);
    assert.equal((await crm.show()).connection.id, crm.connectionId);
  });

  test("changes made at the same time are all kept", async () => {
    const fields = Array.from({ length: 12 }, (_, index) => `field${index}`);
    const answers = await Promise.all([
      ...fields.map((field) =>
        crm.patch("write", [{ op: "add", path: `/setting_${field}`, value: true }], "contacts"),
      ),
      crm.updateContent(["config.content.proxy.enabled"], { proxy: { enabled: false } }),
    ]);
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
    const { content } = (await crm.show()).config;
    for (const field of fields) assert.equal(content.write.objects.contacts[`setting_${field}`], true, field);
    assert.equal(content.proxy.enabled, false);
  });

  test("an object that the manifest has since lost does not block a change of another one", async () => {
    const lost = CRM_MANIFEST.replaceAll("name: crm\n", "name: crm-shrinking\n");
    const integration = "crm-shrinking";
    const other = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: lost });
    assert.equal(other.status, 200, other.text);
    const objects = {
      contacts: { selectedFields: { phone: true } },
      "crm.custom.thing": { selectedFields: { name: true } },
    };
    const made = await busbar.inProject(
      "POST",
      `/integrations/${integration}/installations?skipSampling=true`,
      {
        groupRef: crm.groupRef,
        config: { content: { read: { objects } } },
      },
    );
    assert.equal(made.status, 201, made.text);
    const shrunk = lost.replace(/ {8}- objectName: crm\.custom\.thing\n.*\n.*\n/, "");
    assert.equal((await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: shrunk })).status, 200);
    const change = (name: string) =>
      busbar.inProject("PATCH", `/integrations/${integration}/installations/${made.body.id}`, {
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
