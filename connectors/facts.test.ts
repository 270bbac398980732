/** The files of facts have their form, and each fact names where it comes from. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findShapeFaults } from "../connector-kit/provider/check-provider.ts";
import { fillBaseUrl, TemplateError } from "../connector-kit/provider/template.ts";
import type { ProviderInfo } from "../connector-kit/provider-info.ts";
import { completeRequests } from "../connector-kit/facts/complete-requests.ts";
import { FactsSchema } from "../connector-kit/facts/facts.ts";
import { checkObject } from "../simulations/vendor/suite/facts-suite.ts";
import {
  listProvidersWithFacts,
  readFacts,
  buildSubject,
} from "../simulations/vendor/suite/facts-subject.ts";
import { buildFaultName, readKnownFaults } from "../simulations/vendor/suite/known-faults.ts";
import { buildCatalog } from "./catalog.ts";

for (const file of globSync("*/facts.json", { cwd: import.meta.dirname }).toSorted()) {
  const facts = completeRequests(JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")));
  test(`${file} has the form of facts`, () => {
    assert.deepEqual(findShapeFaults(FactsSchema, facts, "facts"), []);
    assert.equal(file, `${facts.provider}/facts.json`);
    // Of two members of one name, the first would be lost silently.
    const members = [...readFileSync(join(import.meta.dirname, file), "utf8").matchAll(/^  "(\w+)":/gm)].map(
      ([, name]) => name,
    );
    assert.deepEqual(members, [...new Set(members)]);
  });
  test(`each request in ${file} names a source that is there`, () => {
    for (const [name, object] of Object.entries(facts.objects))
      for (const action of [
        "list",
        "changes",
        "get",
        "create",
        "update",
        "upsert",
        "delete",
        "deletions",
      ] as const) {
        const source = object[action]?.source.split("#")[0];
        assert.ok(source === undefined || Object.hasOwn(facts.sources, source), `${name}.${action}`);
      }
    for (const { batch, links } of Object.values(facts.objects))
      for (const several of [...Object.values(batch ?? {}), ...(links ? [links] : [])])
        assert.ok(Object.hasOwn(facts.sources, several.source.split("#")[0] ?? ""), several.path);
    for (const { source, path } of facts.answers ?? [])
      assert.ok(Object.hasOwn(facts.sources, source.split("#")[0] ?? ""), path);
  });
}

/** Hosts for tests, servers of GitHub Enterprise, and domains of the customer's own, which are connected as custom providers. */
const OTHER_HOSTS = ["sandbox-quickbooks.", "squareupsandbox.", ".ghe.com", "{host}", "{yourOktaDomain}"];

const catalog = buildCatalog();
for (const provider of listProvidersWithFacts())
  for (const host of readFacts(provider)?.hosts ?? [])
    if (!OTHER_HOSTS.some((part) => host.includes(part)))
      test(`a customer of ${provider} can be connected at ${host}`, () => {
        const info = catalog.find(provider);
        assert.ok(info);
        const address = host.replace(/\{\w+\}/g, "acme");
        assert.ok(reaches(info, address), `${info.baseURL} is never ${address}`);
      });

/** Returns whether the provider's base address, with values for its placeholders, is at this address. */
function reaches(provider: ProviderInfo, address: string): boolean {
  const template = provider.baseURL.replace(/^https:\/\//, "");
  const names = [...template.matchAll(/\{\{\.(\w+)\}\}/g)].map(([, name = ""]) => name);
  const parts = template
    .split(/\{\{\.\w+\}\}/)
    .map((part) => (part.split("/")[0] ?? "").replaceAll(".", "\\."));
  const { host } = new URL(address);
  const found = new RegExp(`^${parts.join("([^/]+)")}`).exec(host)?.slice(1);
  // A value can be the whole host, too.
  const values = names.map((name, index) => [name, found?.[index] ?? host]);
  try {
    return fillBaseUrl(provider, { values: Object.fromEntries(values) }).host === host;
  } catch (error) {
    if (error instanceof TemplateError) return false;
    throw error;
  }
}

const known = readKnownFaults();
const met = new Set<string>();

for (const provider of listProvidersWithFacts()) {
  const facts = readFacts(provider);
  if (!facts) continue;
  const subject = buildSubject(provider, facts);
  for (const objectName of Object.keys(subject.promised))
    test(`${provider} reads and writes ${objectName} as its vendor's material says`, async (context) => {
      const results = await checkObject(subject, objectName);
      const failed = results.filter(({ state }) => state === "failed");
      for (const result of failed) met.add(buildFaultName(provider, result));
      const strange = failed.filter((result) => !known.includes(buildFaultName(provider, result)));
      assert.equal(strange.map(({ message }) => message).join("\n"), "");
      const unverified = results.filter(({ state }) => state === "unverified");
      if (unverified.length > 0)
        context.diagnostic(`unverified: ${unverified.map(({ check }) => check).join(", ")}`);
    });
}

test("a known fault that is mended leaves the list of known faults", () => {
  assert.deepEqual(
    known.filter((fault) => !met.has(fault)),
    [],
  );
});
