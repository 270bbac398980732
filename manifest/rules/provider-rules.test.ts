/** Guards the rules that need the catalog or the project. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { surroundBody, check, known, readObject, rules, reported } from "../manifest-fixture.ts";

describe("provider and project", () => {
  const write = (name: string, extra = "") =>
    surroundBody(`provider: ${name}\n${extra}write: {objects: [{objectName: a}]}`);
  test("an object that this Busbar does not know, or not for this, is a warning at its name", () => {
    const objects = (provider: string) =>
      provider === "acme"
        ? {
            names: () => ["contacts", "deals"],
            can: (action: string, name: string) => name === "contacts" && action === "read",
          }
        : undefined;
    const body = (name: string) => `provider: ${name}
read: {objects: [{objectName: contacts, destination: hook}, {objectName: contracts, destination: hook}]}
write: {objects: [{objectName: contacts}]}`;
    const { findings } = check(surroundBody(body("acme")), { ...known, objects });
    assert.deepEqual(
      findings.map(({ severity, rule, line, path }) => [severity, rule, line, path]),
      [
        ["warning", "not-built-yet", 5, "$.integrations[0].read.objects[1].objectName"],
        ["warning", "not-built-yet", 6, "$.integrations[0].write.objects[0].objectName"],
      ],
    );
    assert.match(findings[0]?.remedy ?? "", /contacts/);
    assert.deepEqual(rules(surroundBody(body("salesforce")), { ...known, objects }), []);
  });
  test("a field that no account has is a warning at its name where the fields of the object are fixed", () => {
    const objects = () => ({
      names: () => ["contacts", "deals"],
      can: () => true,
      fields: (name: string) => (name === "contacts" ? ["email", "address"] : undefined),
    });
    const body = `provider: acme
read:
  objects:
    - {objectName: contacts, destination: hook, requiredFields: [{fieldName: Email}, {fieldName: emial}, {fieldName: id}, {mapToName: x}]}
    - {objectName: contacts, destination: hook, requiredFields: [{fieldName: "$['address']['city']"}, {fieldName: address.city}, {fieldName: "$['adress']['city']"}]}
    - {objectName: deals, destination: hook, requiredFields: [{fieldName: anything}]}
    - {objectName: contacts, destination: hook, optionalFields: [{fieldName: email}, {fieldName: emali, mapToName: mail}]}`;
    const told = check(surroundBody(body), { ...known, objects }).findings.filter(
      ({ rule }) => rule === "unknown-field",
    );
    assert.deepEqual(
      told.map(({ severity, path, remedy }) => [severity, path, remedy]),
      [
        ["warning", "$.integrations[0].read.objects[0].requiredFields[1].fieldName", 'Did you mean "email"?'],
        [
          "warning",
          "$.integrations[0].read.objects[1].requiredFields[2].fieldName",
          'Did you mean "address"?',
        ],
        ["warning", "$.integrations[0].read.objects[3].optionalFields[1].fieldName", 'Did you mean "email"?'],
      ],
    );
  });
  test("a declared action must be one that the provider supports", () => {
    const body = `provider: writeonly
read: {objects: [{objectName: a, destination: hook}]}
subscribe: {objects: [{objectName: a, destination: hook, otherEvents: [x]}]}
proxy: {enabled: true}`;
    assert.deepEqual(reported(surroundBody(body)), [
      "provider-capability-read 5:5",
      "provider-capability-subscribe 6:5",
      "provider-capability-proxy 7:5",
    ]);
    assert.deepEqual(rules(surroundBody("provider: writeonly\nproxy: {enabled: false}")), []);
  });
  test("the flags of a named module win, and the default module helps when none is named", () => {
    const read = (module: string) =>
      rules(readObject("", "modular").replace("provider: modular", `provider: modular${module}`));
    assert.deepEqual(read(""), []);
    assert.deepEqual(read("\n    module: main"), []);
    assert.deepEqual(read("\n    module: side"), ["provider-capability-read"]);
    assert.deepEqual(rules(write("modular", "module: sied\n")), ["provider-module"]);
    assert.deepEqual(rules(write("acme", "module: x\n")), ["provider-module"]);
  });
  test("a module without proxy is a warning unless the proxy is to use the module", () => {
    const proxy = (more: string) =>
      check(surroundBody(`provider: modular\nmodule: main\nproxy: {enabled: true${more}}`));
    assert.deepEqual(
      proxy("").findings.map(({ severity }) => severity),
      ["warning"],
    );
    assert.deepEqual(
      proxy(", useModule: true").findings.map(({ severity }) => severity),
      ["error"],
    );
  });
  test("an action that this server cannot run yet is a warning and can be deployed", () => {
    const { manifest, findings } = check(write("acme"), {
      ...known,
      built: (_, action) => action !== "write",
    });
    assert.ok(manifest);
    assert.deepEqual(
      findings.map(({ rule, severity, line }) => [rule, severity, line]),
      [["not-built-yet", "warning", 5]],
    );
  });
  test("an unknown destination is an error with a suggestion; without a project it is said that nobody looked", () => {
    const unknown = check(readObject(""), { destinations: ["hok"] }).findings;
    assert.deepEqual(
      unknown.map(({ rule, remedy }) => [rule, remedy]),
      [["destination-not-found", 'Did you mean "hok"?']],
    );
    assert.deepEqual(rules(readObject(""), {}), ["destination-exists"]);
  });
  test("an OAuth provider without a provider app in the project is a warning", () => {
    assert.deepEqual(rules(write("portal"), { providerApps: [] }), ["provider-app-not-configured"]);
    assert.deepEqual(rules(write("portal"), { providerApps: ["portal"] }), []);
    assert.deepEqual(rules(write("acme"), { providerApps: [] }), []);
  });
  test("names like those of built-in members are no providers", () => {
    for (const name of ["constructor", "__proto__", "toString"]) {
      assert.deepEqual(rules(write(name)), ["provider-not-supported"]);
    }
  });
});
