/** The form of a configuration changes what it shows, and keeps everything else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  listMembersInJson,
  readChoices,
  subscribeChoices,
  withDeletion,
  withField,
  withMapping,
  withMember,
  withObject,
  withSubscribeMember,
  type Content,
} from "./config-content.ts";

const CONTENT: Content = {
  provider: "hubspot",
  read: {
    objects: {
      contacts: {
        objectName: "contacts",
        schedule: "@hourly",
        selectedFields: {},
        selectedFieldMappings: {},
      },
    },
  },
  write: { objects: { contacts: { objectName: "contacts", inheritMapping: true } } },
};

test("fields, mappings and deletion are changed without losing members that the form does not know", () => {
  const mapping = { mapToName: "notes", fieldName: "jobtitle" };
  const chosen = withMapping(withField(CONTENT, "contacts", "email", true), "contacts", mapping);
  const changed = withDeletion(chosen, "contacts", true);
  assert.deepEqual(changed.read?.objects["contacts"], {
    objectName: "contacts",
    schedule: "@hourly",
    selectedFields: { email: true },
    selectedFieldMappings: { notes: "jobtitle" },
  });
  assert.deepEqual(changed.write?.objects?.["contacts"], {
    objectName: "contacts",
    inheritMapping: true,
    deletionSettings: { enabled: true },
  });
  const back = withMapping(withField(chosen, "contacts", "email", false), "contacts", {
    mapToName: "notes",
    fieldName: undefined,
  });
  assert.deepEqual(back, CONTENT);
});

test("an object that was just added has no choices yet, and takes them", () => {
  const added = withObject(CONTENT, "read", "companies", true);
  assert.deepEqual(readChoices(added, "companies"), {
    objectName: "companies",
    selectedFields: {},
    selectedFieldMappings: {},
  });
  const mapped = withMapping(added, "companies", { mapToName: "notes", fieldName: "about" });
  assert.deepEqual(readChoices(mapped, "companies")?.selectedFieldMappings, { notes: "about" });
  assert.equal(readChoices(CONTENT, "companies"), undefined);
});

test("an object is added with its name only, and the last one takes its action along", () => {
  const added = withObject(CONTENT, "read", "companies", true);
  assert.deepEqual(added.read?.objects["companies"], { objectName: "companies" });
  assert.equal(withObject(CONTENT, "read", "contacts", false).read, undefined);
  const ours = { ...CONTENT, read: { ...CONTENT.read, objects: CONTENT.read?.objects ?? {}, ours: 1 } };
  assert.deepEqual(withObject(ours, "read", "contacts", false).read, { ours: 1 });
});

test("settings of an object are set and left to the manifest again, whatever the configuration calls the object", () => {
  const people = { objectName: "contacts", selectedFields: {}, selectedFieldMappings: {} };
  const ours = { ...people, ours: 1 };
  const content: Content = { provider: "hubspot", read: { objects: { people: ours } } };
  const changed = withMember(content, ["read", "contacts", "schedule"], "0 * * * *");
  assert.deepEqual(changed.read?.objects, { people: { ...ours, schedule: "0 * * * *" } });
  assert.deepEqual(withMember(changed, ["read", "contacts", "schedule"], undefined), content);
  assert.deepEqual(withMember(content, ["read", "deals", "schedule"], "0 * * * *"), content);
  assert.deepEqual(listMembersInJson(changed, "read", "contacts"), ["ours"]);
});

test("a subscription gets settings of its own with the first change, and loses all of them together", () => {
  assert.equal(subscribeChoices(CONTENT, "contacts"), undefined);
  const changed = withSubscribeMember(CONTENT, "contacts", "deleteEvent", { enabled: "never" });
  assert.deepEqual(changed.subscribe, {
    objects: { contacts: { objectName: "contacts", deleteEvent: { enabled: "never" } } },
  });
  const both = withSubscribeMember(changed, "contacts", "otherEvents", ["contact.merge"]);
  assert.deepEqual(subscribeChoices(both, "contacts")?.deleteEvent, { enabled: "never" });
  assert.deepEqual(withObject(both, "subscribe", "contacts", false), CONTENT);
});
