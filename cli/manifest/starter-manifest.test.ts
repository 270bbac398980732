import assert from "node:assert/strict";
import { test } from "node:test";
import { buildCatalog } from "./catalog.ts";
import { writeStarterManifest } from "./starter-manifest.ts";
import { validate } from "./validate.ts";

test("what init writes is without mistakes for every provider of the catalog, with objects where it can write", () => {
  for (const provider of Object.values(buildCatalog())) {
    const objects = provider.support.write ? ["contacts", "odd: name # 1"] : [];
    const text = writeStarterManifest({ provider, objects, name: "my-crm" });
    // The names are made up; whether a provider has such an object is not init's mistake.
    const mistakes = validate(text).filter(({ rule }) => rule !== "unknown-object");
    assert.deepEqual(mistakes, [], `${provider.name}\n${text}`);
  }
});

test("the comments of what init writes become a manifest when they are put in force", () => {
  const { hubspot } = buildCatalog();
  assert.ok(hubspot);
  const text = writeStarterManifest({ provider: hubspot, objects: ["contacts"], name: "crm" });
  const inForce = text.replaceAll(/^ {4}# ( *(?:- )?[a-zA-Z]+:)/gm, "    $1");
  assert.match(inForce, /^ {4}read:$/m);
  assert.deepEqual(
    validate(inForce).filter(({ severity }) => severity === "error"),
    [],
    inForce,
  );
});
