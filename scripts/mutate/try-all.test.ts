/** The suite of facts, and connectors' own tests, notice changes: some are tried here, `npm run mutate -- --all` tries all. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESCRIPTIONS } from "../../connectors/descriptions.gen.ts";
import { listProvidersWithFacts } from "../../simulations/vendor/suite/facts-subject.ts";
import { listCodeMutants } from "./code-mutants.ts";
import { listMutants } from "./mutants.ts";
import { findFailingOwnTest } from "./own-tests.ts";
import { computeScore, readSurvivors, tryMutants } from "./try-all.ts";

const EVERY = 20;
/** A mutant of a connector in code may take all of its tests. */
const EVERY_IN_CODE = 120;
const LEAST_SCORE = 95;

test("a change of one member of a description fails a check of facts, or has a reason not to", async () => {
  const described = listProvidersWithFacts().filter((name) => Object.hasOwn(DESCRIPTIONS, name));
  const tried = (await Promise.all(described.map((name) => tryMutants(name, EVERY)))).flat();
  const unexplained = tried.filter(({ state, reason }) => state === "survived" && reason === undefined);
  assert.deepEqual(
    unexplained.map(({ provider, name }) => `${provider} ${name}`),
    [],
    "add the vendor's fact, or a reason in connectors/surviving-mutants.json",
  );
  const score = computeScore(tried);
  assert.ok(score >= LEAST_SCORE, `${score.toFixed(1)} of 100 die, ${LEAST_SCORE} are promised`);
  assert.deepEqual(
    tried.filter(({ state, reason }) => state === "killed" && reason !== undefined),
    [],
    "a mutant that dies needs no reason",
  );
});

test("own tests that use the catalog pass with an unchanged description", async () => {
  const { netsuite } = DESCRIPTIONS;
  assert.ok(netsuite);
  assert.equal(await findFailingOwnTest("netsuite", netsuite), undefined);
});

test("a change of one constant of a connector in code fails a check of facts or an own test, or has a reason not to", async () => {
  const written = listProvidersWithFacts().filter((name) => !Object.hasOwn(DESCRIPTIONS, name));
  const tried = (await Promise.all(written.map((name) => tryMutants(name, EVERY_IN_CODE)))).flat();
  const unexplained = tried.filter(({ state, reason }) => state === "survived" && reason === undefined);
  assert.deepEqual(
    unexplained.map(({ provider, name }) => `${provider} ${name}`),
    [],
    "add the vendor's fact, a test beside the connector, or a reason in connectors/surviving-mutants.json",
  );
});

test("a reason is about a change that the description, or the source, allows", () => {
  for (const [provider, reasons] of Object.entries(readSurvivors())) {
    const description = DESCRIPTIONS[provider];
    const mutants = description ? listMutants(description) : listCodeMutants(provider);
    const names = mutants.map(({ name }) => name);
    for (const name of Object.keys(reasons)) assert.ok(names.includes(name), `${provider} ${name}`);
  }
});
