/** A broken description is refused with the place of each mistake. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESCRIPTIONS } from "../../connectors/descriptions.gen.ts";
import type { JsonObject } from "../../server/ground/json.ts";
import { checkDescription } from "./check-description.ts";

const UPDATE = { method: "PUT", path: "/{path}/{id}" };

/** Ways to break a description: each changes one place and returns where the fault must be told. */
const BREAKS: [place: RegExp, change: (description: Broken) => void][] = [
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = "no-slash")],
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = "//evil.example/{path}")],
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = "/a/../{path}")],
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = "/{wrong}")],
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = "/{path")],
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = 7)],
  [/defaults\.create\.method$/, ({ defaults }) => (defaults.create.method = "FETCH")],
  [/defaults\.create\.path$/, ({ defaults }) => delete defaults.create.path],
  [/defaults\.update\.idTo$/, ({ defaults }) => (defaults.update = { ...UPDATE, idTo: "header.id" })],
  [/defaults\.update\.path$/, ({ defaults }) => (defaults.update = { ...UPDATE, path: "/a#b" })],
  [/defaults\.paging$/, ({ defaults }) => (defaults.paging = {})],
  [/defaults\.paging$/, ({ defaults }) => (defaults.paging = { link: true, none: true })],
  [/defaults\.paging\.cursor\.from$/, ({ defaults }) => (defaults.paging = { cursor: { to: "query.c" } })],
  [/defaults\.paging\.cursor\.to$/, ({ defaults }) => (defaults.paging = { cursor: { from: "a", to: "c" } })],
  [/defaults\.since\.template$/, ({ defaults }) => (defaults.since = { to: "query.s", template: "after" })],
  [/defaults\.since\.format$/, ({ defaults }) => (defaults.since = { to: "query.s", format: "iso" })],
  [/defaults\.lists$/, ({ defaults }) => (defaults.lists = {})],
  [/ids\.pattern$/, (description) => (description.ids = { pattern: ".*" })],
  [/ids\.pattern$/, (description) => (description.ids = { pattern: "(" })],
  [/ids\.pattern$/, (description) => (description.ids = { pattern: "([a-z]+)+_" })],
  [/objects$/, (description) => (description.objects = {})],
  [/errors\.message$/, ({ errors }) => delete errors.message],
  [/errors\.codes\.X$/, ({ errors }) => (errors.codes = { X: "strange" })],
  [/sources$/, (description) => delete description.sources],
  [/objects\.\.\.$/, ({ objects }) => (objects[".."] = {})],
];

// oxlint-disable-next-line typescript/no-explicit-any
type Broken = any;

for (const [provider, description] of Object.entries(DESCRIPTIONS)) {
  test(`${BREAKS.length} ways to break the description of ${provider} are each refused with the place`, () => {
    for (const [place, change] of BREAKS) {
      const broken: JsonObject = JSON.parse(JSON.stringify(description));
      change(broken);
      const { faults } = checkDescription(broken);
      assert.ok(
        faults.some(({ path, message }) => place.test(path) && message !== ""),
        `${place}: ${JSON.stringify(faults)}`,
      );
    }
  });
}

test("what can be done with an object needs its request, and the id a place", () => {
  const [description] = Object.values(DESCRIPTIONS);
  const objects = {
    a: { update: { method: "POST", path: "/fixed" } },
    b: { get: { path: "/without" } },
  };
  const faults = checkDescription({ ...description, defaults: {}, objects }).faults.map(({ path }) => path);
  assert.ok(faults.includes("connector.objects.a.update"));
  assert.ok(faults.includes("connector.objects.b.get.path"));
  assert.ok(faults.includes("connector.objects.a"));
});
