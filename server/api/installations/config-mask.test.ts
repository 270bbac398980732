import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findObjectKey, readMaskPath, splitMaskPath, getValueAt, withValueAt } from "./config-mask.ts";

const KNOWN = ["contacts", "a", "a.b", "a.b.c", "x/y", "odd\\name", "disabled"];
const read = (path: string) => readMaskPath(path, (_action, name) => KNOWN.includes(name));
const content = (...path: string[]) => ({ kind: "content", path });

describe("update masks", () => {
  const forms: [string, unknown][] = [
    ["connectionId", { kind: "connectionId" }],
    ["config.createdBy", { kind: "createdBy" }],
    ["config.content", content()],
    ["config.content.read.objects.contacts", content("read", "objects", "contacts")],
    ["config.content.read.objects.contacts.disabled", content("read", "objects", "contacts", "disabled")],
    ["config.content.write.objects.contacts", content("write", "objects", "contacts")],
    ["config.content.write.objects", content("write", "objects")],
    ["config.content.subscribe.objects.contacts", content("subscribe", "objects", "contacts")],
    ["config.content.subscribe.objects", content("subscribe", "objects")],
    ["config.content.proxy.enabled", content("proxy", "enabled")],
  ];
  for (const [path, target] of forms) {
    test(`\`${path}\` is a path`, () => assert.deepEqual(read(path), target));
  }

  const names: [string, string[]][] = [
    ["a\\.b", ["a.b"]],
    ["a\\.b.disabled", ["a.b", "disabled"]],
    ["a.b.disabled", ["a.b", "disabled"]],
    ["a.b.c", ["a.b.c"]],
    ["a.b.c.disabled", ["a.b.c", "disabled"]],
    ["a.disabled", ["a", "disabled"]],
    ["x\\/y", ["x/y"]],
    ["x/y", ["x/y"]],
    ["odd\\\\name", ["odd\\name"]],
    ["disabled", ["disabled"]],
    ["disabled.disabled", ["disabled", "disabled"]],
  ];
  for (const [written, path] of names) {
    test(`the object \`${written}\` is found, escaped or not, longest name first`, () =>
      assert.deepEqual(read(`config.content.read.objects.${written}`), content("read", "objects", ...path)));
  }

  const unknown = [
    "",
    "config",

    "config.content.read",
    "config.content.read.objects",
    "config.content.read.objects.",
    "config.content.read.objects.nobody",
    "config.content.read.objects.contacts.schedule",
    "config.content.write.objects.contacts.disabled",
    "config.content.proxy",
    "config.content.__proto__.objects",
    "connectionId.x",
    "group",
  ];
  for (const path of unknown) {
    test(`\`${path}\` is none`, () => assert.equal(read(path), undefined));
  }

  test("a backslash takes the next character as it is, itself included", () => {
    assert.deepEqual(splitMaskPath("a\\.b.c\\:d\\\\.e\\"), ["a.b", "c:d\\", "e\\"]);
  });

  test("an entry is found by the name it carries, then by its key", () => {
    const objects = { first: { objectName: "contacts" }, deals: { objectName: "" }, leads: {} };
    assert.equal(findObjectKey(objects, "contacts"), "first");
    assert.equal(findObjectKey(objects, "deals"), "deals");
    assert.equal(findObjectKey(objects, "leads"), "leads");
    assert.equal(findObjectKey(objects, "new"), "new");
    assert.equal(findObjectKey(undefined, "new"), "new");
  });

  test("a value is put in its place and everything beside it stays", () => {
    const before = {
      provider: "hubspot",
      read: { more: 1, objects: { k: { objectName: "contacts", x: 1 } } },
    };
    const path = ["read", "objects", "contacts", "disabled"];
    const after = withValueAt(before, path, true);
    assert.deepEqual(after, {
      provider: "hubspot",
      read: { more: 1, objects: { k: { objectName: "contacts", x: 1, disabled: true } } },
    });
    assert.equal(getValueAt(before, path), undefined);
    assert.equal(getValueAt(after, path), true);
  });

  test("neither null nor an inherited member is a value", () => {
    assert.equal(getValueAt({ proxy: { enabled: null } }, ["proxy", "enabled"]), undefined);
    assert.equal(getValueAt({ read: { objects: {} } }, ["read", "objects", "toString"]), undefined);
    assert.equal(getValueAt({ proxy: { enabled: false } }, ["proxy", "enabled"]), false);
  });

  test("`__proto__` names an entry and reaches no prototype", () => {
    const after = withValueAt({}, ["write", "objects", "__proto__"], { objectName: "__proto__" });
    assert.equal(JSON.stringify(after), '{"write":{"objects":{"__proto__":{"objectName":"__proto__"}}}}');
    assert.equal(Object.hasOwn(Object.prototype, "objectName"), false);
  });
});
