/** Guarantees of every declarative connector, against a simulation of its provider by the same description. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { testBatches, testFields, testKeys } from "./declarative-feature-suites.ts";
import { buildId } from "./simulated-account.ts";
import { buildAccountValues } from "./simulated-exchange.ts";
import { orderWrite } from "../../connector-kit/testing/order-fixture.ts";
import { withAccount } from "../../connector-kit/calls/with-account.ts";
import {
  type World,
  findError,
  cloneExample,
  openFetch,
  getOnlyRecordId,
  buildMissingId,
  planFor,
  requireReader,
  scan,
  writeRecords,
} from "./suite-world.ts";
import { startSimulation, type Simulation } from "./start-simulation.ts";
import { nowMs } from "../../ground/clock.ts";
import type { Json, JsonObject } from "../../ground/json.ts";
import type { Connector, RecordWrite, WriteResult } from "../../connector-kit/connector.ts";
import { testConnector, type ConnectorSample } from "../../connector-kit/testing/connector-suite.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError, type ProviderErrorKind } from "../../connector-kit/calls/provider-error.ts";
import { checkDescription } from "../../connector-kit/declarative/check/check-description.ts";
import { describeConnector } from "../../connector-kit/declarative/describe-connector.ts";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { buildPlans, flattenValues, type ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";

/** Tests a declarative connector completely: with any answers, and its objects against a simulation of the same description. */
export function testDeclarative(provider: string, given: Description, own: Connector): void {
  const subject = testAnswers(provider, given, own);
  if (!subject) return;
  const { description, connector, plans, full } = subject;
  describe(`${provider}, described, against its simulation`, () => {
    let simulation: Simulation;
    before(async () => {
      simulation = await startSimulation(description);
    });
    after(() => simulation.close());
    beforeEach(() => {
      simulation.next = undefined;
      for (const { name } of plans)
        for (const { id } of simulation.account.records(name)) simulation.account.remove(name, id);
    });
    const world = (): World => ({ simulation, connector, fetch: openFetch(simulation.url) });
    for (const plan of plans) {
      testObject(world, plan);
      testBatches(world, plan);
      testFields(world, plan);
    }
    testKeys(world, plans);
    testRefusals(
      world,
      full,
      plans.find(({ modes }) => modes.includes("read")),
      description.errors.statuses ?? {},
    );
    if (full.modes.includes("update")) testBatchOfUpdates(world, full);
  });
}

interface Subject {
  description: Description;
  connector: Connector;
  plans: ObjectPlan[];
  /** Object with the most features. */
  full: ObjectPlan;
}

/** Tests that a description is sound, and how its connector handles answers that the description does not mention. */
export function testAnswers(
  provider: string,
  given: Description,
  own: Connector,
  share?: ConnectorSample["share"],
): Subject | undefined {
  // Answers of GraphQL have the named fields only, so those of the tests are named as well.
  const description = given.graphql ? addTestFields(given) : given;
  const bare = given.graphql ? describeConnector(provider, description) : own;
  const account = buildAccountValues(description);
  const connector = withAccount(bare, account);
  const plans = buildPlans(description, account);
  const writable = plans.filter(({ modes }) =>
    (["read", "create", "update"] as const).every((mode) => modes.includes(mode)),
  );
  // Some providers do not allow records to be deleted or changed.
  const full =
    writable.find(({ modes }) => modes.includes("delete")) ??
    writable[0] ??
    plans.find(({ modes }) => modes.includes("read") && modes.includes("create")) ??
    plans.find(({ modes }) => modes.includes("create"));
  test(`the description of ${provider} is sound`, () => {
    assert.deepEqual(checkDescription(given).faults, []);
    assert.ok(full, "one object can be created");
  });
  if (!full) return undefined;
  testConnector(provider, connector, {
    objectName: full.name,
    fields: (full.example ?? {}) as JsonObject,
    ids: [1, 22, 333].map((number) => buildId(description, number, full)),
    ...(!full.modes.includes("delete") && { deletes: false as const }),
    ...(!full.modes.includes("update") && { updates: false as const }),
    ...(description.errors.refusedBy === "errors" && { errorsRefuse: true as const }),
    ...(description.errors.okWhen !== undefined && { okWhen: description.errors.okWhen }),
    ...(share && { share }),
  });
  return { description, connector, plans, full };
}

const addTestFields = (description: Description): Description => ({
  ...description,
  objects: Object.fromEntries(
    Object.entries(description.objects).map(([name, { graphql, ...rules }]) => [
      name,
      {
        ...rules,
        ...(graphql && {
          graphql: { ...graphql, fields: [...graphql.fields, "n", "note", "nothing", "kept", "changed"] },
        }),
      },
    ]),
  ),
});

function testObject(world: () => World, plan: ObjectPlan): void {
  const { name, modes } = plan;
  if (modes.includes("create")) {
    test(`a record of ${name} is created with its fields, and its id is reported`, async () => {
      const { simulation, connector, fetch } = world();
      const fields = { ...cloneExample(plan), note: "ünïcode ✓", nothing: null };
      const id = getOnlyRecordId(
        await writeRecords(connector, orderWrite(name, "create", { fields }), fetch),
      );
      const stored = simulation.account.records(name).find((record) => record.id === id);
      const nothing = plan.create?.wrap?.form ? "" : null;
      assert.deepEqual(JSON.parse(JSON.stringify(stored?.fields)), { ...fields, nothing });
    });
  }
  if (modes.includes("update")) {
    test(`an update of ${name} changes the fields that it names, and returns the record`, async () => {
      const { simulation, connector, fetch } = world();
      const id = simulation.account.put(name, { kept: "k", changed: "before" });
      const result = await writeRecords(
        connector,
        orderWrite(name, "update", { id, fields: { changed: "after" } }),
        fetch,
      );
      assert.equal(getOnlyRecordId(result), id);
      assert.deepEqual(simulation.account.records(name)[0]?.fields, { kept: "k", changed: "after" });
      const [outcome] = result.outcomes;
      const isAnswered = !(plan.update?.empty || plan.update?.id !== undefined) || plan.get !== undefined;
      if (isAnswered)
        assert.equal(
          outcome?.success && outcome.data && flattenValues(outcome.data, plan)["changed"],
          "after",
        );
      const gone = await writeRecords(
        connector,
        orderWrite(name, "update", { id: buildMissingId(id), fields: {} }),
        fetch,
      );
      assert.equal(findError(gone)?.kind, "not_found");
    });
    test(`current values of ${name} are read for records that exist`, async () => {
      const { simulation, connector, fetch } = world();
      if (!plan.get) return;
      const id = simulation.account.put(name, { a: "1", b: "2" });
      const found = await connector.write?.readFields(
        { objectName: name, ids: [id, buildMissingId(id)], fields: ["a", "c"] },
        fetch,
      );
      assert.deepEqual([...(found ?? [])], [[id, { a: "1", c: null }]]);
    });
  }
  if (plan.upsert) testUpsert(world, plan, plan.upsert.keys);
  if (modes.includes("delete")) {
    test(`a record of ${name} is deleted, and a second deletion is a success with a warning`, async () => {
      const { simulation, connector, fetch } = world();
      const id = simulation.account.put(name, cloneExample(plan));
      assert.equal(
        getOnlyRecordId(await writeRecords(connector, orderWrite(name, "delete", { id, fields: {} }), fetch)),
        id,
      );
      assert.equal(simulation.account.records(name).length, 0);
      const again = await writeRecords(connector, orderWrite(name, "delete", { id, fields: {} }), fetch);
      assert.equal(getOnlyRecordId(again), id);
      assert.equal(again.warnings.length, 1);
    });
  }
  if (modes.includes("read")) testReading(world, plan);
}

function testReading(world: () => World, plan: ObjectPlan): void {
  const { name } = plan;
  test(`every record of ${name} is read once, over several pages`, async () => {
    const { simulation, connector, fetch } = world();
    const ids = Array.from({ length: 10 }, (_, index) => simulation.account.put(name, { n: String(index) }));
    const { records, pages } = await scan(requireReader(connector), planFor(name), fetch);
    assert.deepEqual(records.map(({ id }) => id).toSorted(), ids.toSorted());
    assert.ok(plan.paging?.none || plan.paging?.page?.more === undefined || pages > 1);
    for (const { values, raw } of records)
      assert.ok(values["n"] !== undefined && Object.keys(raw).length > 0);
    assert.deepEqual(
      (await scan(requireReader(connector), { ...planFor(name), pageSize: 2 }, fetch)).records.length,
      10,
    );
  });
  test(`an empty account of ${name} is one page without records for each list`, async () => {
    const { connector, fetch } = world();
    const lists = 1 + (plan.furtherLists ?? []).filter(({ deleted }) => !deleted).length;
    assert.deepEqual(await scan(requireReader(connector), planFor(name), fetch), {
      records: [],
      pages: lists,
    });
  });
  if (plan.changedPath) {
    test(`changes of ${name} since a time are read with that time included`, async () => {
      const { simulation, connector, fetch } = world();
      const early = simulation.account.put(name, { n: "early" });
      const late = [1, 2, 3, 4].map((n) => simulation.account.put(name, { n: String(n) }));
      const since = new Date(simulation.account.records(name)[1]?.changedAt ?? 0);
      const bounded = await scan(requireReader(connector), { ...planFor(name), since }, fetch);
      assert.deepEqual(bounded.records.map(({ id }) => id).toSorted(), late.toSorted());
      assert.equal(
        bounded.records.some(({ id }) => id === early),
        false,
      );
      assert.ok(bounded.records.every(({ changeTime }) => changeTime && changeTime >= since));
    });
  }
  test(`records of ${name} are found by the value of a field, and by their ids`, async () => {
    const { simulation, connector, fetch } = world();
    const wanted = simulation.account.put(name, { n: "wanted" });
    simulation.account.put(name, { n: "other" });
    const filters = [{ fieldName: "n", value: "wanted" }];
    const { records } = await requireReader(connector).search({ ...planFor(name), filters }, fetch);
    assert.deepEqual(
      records.map(({ id }) => id),
      [wanted],
    );
    if (!plan.get) return;
    const byId = await requireReader(connector).readByIds(
      planFor(name),
      [wanted, buildMissingId(wanted)],
      fetch,
    );
    assert.deepEqual(
      byId.map(({ id }) => id),
      [wanted],
    );
  });
  testBrokenLists(world, plan);
}

function testBrokenLists(world: () => World, plan: ObjectPlan): void {
  const { name } = plan;
  test(`a list of ${name} that repeats a page or has wrong types ends with a reason`, async () => {
    const { simulation, connector, fetch } = world();
    // If an empty list is absent and nothing surrounds it, an object without the list is a valid answer.
    const isLeftOut = plan.absentWhenEmpty === true && !plan.records?.includes(".");
    const bodies: Json[] = isLeftOut ? [[7], "text"] : [{}, { data: 7 }, [7], "text"];
    for (const body of bodies) {
      simulation.next = { status: 200, headers: {}, body };
      const error = await requireReader(connector)
        .readPage(planFor(name), undefined, fetch)
        .then(
          (page) => page.records.length,
          (reason: unknown) => reason,
        );
      assert.ok(error instanceof ProviderError && error.kind === "unreadable", JSON.stringify(body));
    }
    Array.from({ length: 8 }, () => simulation.account.put(name, cloneExample(plan)));
    const first = await requireReader(connector).readPage(planFor(name), undefined, fetch);
    if (!first.next || typeof first.next["place"] !== "string" || plan.paging?.cursor?.start) return;
    const same: ProviderFetch = () => fetch(requireReader(connector).preparePage(planFor(name)));
    await assert.rejects(requireReader(connector).readPage(planFor(name), first.next, same), {
      kind: "unreadable",
    });
  });
}

function testUpsert(world: () => World, plan: ObjectPlan, keys: string[]): void {
  const { name } = plan;
  for (const key of keys)
    test(`two upserts of ${name} by ${key} make one record, which keeps its other fields`, async () => {
      const { simulation, connector, fetch } = world();
      const upsert = (fields: JsonObject): Promise<WriteResult> =>
        writeRecords(connector, { ...orderWrite(name, "upsert", { fields }), key: key.toUpperCase() }, fetch);
      const first = getOnlyRecordId(await upsert({ ...cloneExample(plan), [key]: "ada/1", kept: "k" }));
      const second = getOnlyRecordId(await upsert({ [key]: "ada/1", changed: "after" }));
      assert.equal(second, first);
      const stored = simulation.account.records(name);
      assert.equal(stored.length, 1);
      assert.deepEqual(stored[0]?.fields, {
        ...cloneExample(plan),
        [key]: "ada/1",
        kept: "k",
        changed: "after",
      });
      const keyless = await upsert({ kept: "k" });
      assert.equal(findError(keyless)?.kind, "invalid");
    });
}

function testRefusals(
  world: () => World,
  { name, ...plan }: ObjectPlan,
  readable: ObjectPlan | undefined,
  own: Record<string, ProviderErrorKind>,
): void {
  test("refusals have the provider's reason and the kind of their status", async () => {
    const { simulation, connector, fetch } = world();
    const fields = cloneExample({ name, ...plan });
    for (const [status, kind] of [
      [400, "invalid"],
      [403, "forbidden"],
      [409, "conflict"],
      [422, "invalid"],
    ] as const) {
      if (own[status] !== undefined) continue;
      simulation.next = simulation.account.refusal(status, `reason ${status}`);
      const error = findError(await writeRecords(connector, orderWrite(name, "create", { fields }), fetch));
      assert.equal(error?.kind, kind);
      assert.match(error?.message ?? "", new RegExp(`reason ${status}`));
    }
    for (const [status, kind, headers] of [
      [401, "unauthorized", {}],
      [500, "unknown_outcome", {}],
      [503, "unavailable", { "retry-after": "7" }],
    ] as const) {
      simulation.nextWrite = simulation.account.refusal(status, "no", headers);
      await assert.rejects(writeRecords(connector, orderWrite(name, "create", { fields }), fetch), { kind });
    }
  });

  test("a rate limit says when to try again", async (t) => {
    const { simulation, connector, fetch } = world();
    if (!readable) return;
    simulation.next = simulation.account.refusal(429, "slow down", { "retry-after": "7" });
    const stoppedMs = nowMs();
    t.mock.method(Date, "now", () => stoppedMs);
    const error = await requireReader(connector)
      .readPage(planFor(readable.name), undefined, fetch)
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof ProviderError && error.kind === "rate_limited");
    assert.equal((error.retryAt?.getTime() ?? 0) - stoppedMs, 7_000);
  });

  test("a create whose answer is lost has an unknown outcome, and an update may be repeated", async () => {
    const { simulation, connector, fetch } = world();
    simulation.nextWrite = "lost";
    const creating = writeRecords(
      connector,
      orderWrite(name, "create", { fields: cloneExample({ name, ...plan }) }),
      fetch,
    );
    await assert.rejects(creating, { kind: "unknown_outcome" });
    const id = simulation.account.records(name)[0]?.id ?? "";
    if (!plan.modes.includes("update")) return;
    simulation.nextWrite = "lost";
    const updating = writeRecords(connector, orderWrite(name, "update", { id, fields: { n: "1" } }), fetch);
    await assert.rejects(updating, { kind: "unavailable" });
  });
}

function testBatchOfUpdates(world: () => World, { name }: ObjectPlan): void {
  test("a batch writes each record and reports each outcome in order", async () => {
    const { simulation, connector, fetch } = world();
    const id = simulation.account.put(name, { n: "0" });
    const records = [id, buildMissingId(id), id].map((key) => ({ id: key, fields: { n: key } }));
    const write: RecordWrite = {
      ...orderWrite(name, "update", records[0] ?? { fields: {} }),
      batch: true,
      records,
    };
    const { outcomes } = await writeRecords(connector, write, fetch);
    assert.deepEqual(
      outcomes.map(({ success }) => success),
      [true, false, true],
    );
  });
}
