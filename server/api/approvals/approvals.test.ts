/** Approvals through the API: what an agent may not do to them, and that an approved act is carried out once. */
import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { until } from "../../../tests/harness/until.ts";
import { readConfig } from "../../../ground/config.ts";
import { newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import { requestApproval, type Asker } from "../../agents/approvals/request-approval.ts";
import { giveBackBudget, takeBudget } from "../../agents/policy/budgets.ts";
import { parsePolicy } from "../../agents/policy/policy.ts";
import { openServices, type Cleanup, type Services } from "../../services.ts";

const busbar = await shareTestBusbar();

describe("approvals", () => {
  let customer: Customer;
  let services: Services;
  let projectId: string;
  const closers: Cleanup = [];
  const policy = parsePolicy({ default: { write: "ask" } });
  before(async () => {
    customer = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
    projectId = (await busbar.inProject("GET", "")).body.id;
    const dataDir = await mkdtemp(join(tmpdir(), "busbar-data-"));
    const catalog = join(dataDir, "catalog.json");
    await writeFile(catalog, JSON.stringify(busbar.sandbox.catalog()));
    const config = readConfig({
      DATABASE_URL: busbar.connectionString,
      BUSBAR_DATA_DATABASE_URL: busbar.dataUrl,
      BUSBAR_DATA_DIR: dataDir,
      BUSBAR_CATALOG: catalog,
      BUSBAR_EGRESS_ALLOW: "127.0.0.1,localhost",
      BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    });
    services = await openServices({ config, log: createLog("silent"), followsClock: false }, closers);
  });
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });

  const createContact = async (email: string): Promise<string> =>
    (await customer.succeed("contacts", { type: "create", record: { email, firstname: "Ada" } })).result
      .recordId;
  const ask = (
    request: { type: "update" | "delete" | "create"; record: Record<string, unknown> },
    principal: Asker = { kind: "key", id: newId() },
    more: { key?: string; minutes?: number } = {},
  ) =>
    requestApproval(services, {
      projectId,
      groupRef: customer.groupRef,
      principal,
      actor: { kind: "agent", id: principal.id, client: "Test 1.0" },
      policy: { ...policy, approvalMinutes: more.minutes ?? 60 },
      tool: `${request.type}_record`,
      arguments: { object: "contacts", record: JSON.parse(JSON.stringify(request.record)) },
      act: {
        kind: "write",
        integration: "hubspot",
        object: "contacts",
        request: { groupRef: customer.groupRef, ...request },
      },
      requestId: newId(),
      requestKey: more.key === undefined ? undefined : { key: more.key, keptMs: 60_000 },
    });
  const decide = (id: string, decision: string, headers?: Record<string, string>) =>
    busbar.call("POST", `/v1/projects/default/approvals/${id}:decide`, { decision }, headers);
  const ended = (id: string) =>
    until(async () => {
      const { body } = await busbar.inProject("GET", `/approvals/${id}`);
      return ["pending", "approved"].includes(body.status) ? undefined : body;
    });

  test("an approved act is carried out once, as it was shown, as an operation of the agent", async () => {
    const recordId = await createContact("once@example.com");
    const { id } = await ask({ type: "update", record: { id: recordId, firstname: "Grace" } });
    const shown = (await busbar.inProject("GET", `/approvals/${id}`)).body;
    assert.deepEqual(
      [shown.status, shown.before, shown.after],
      ["pending", { firstname: "Ada" }, { firstname: "Grace" }],
    );
    const answers = await Promise.all([decide(id, "approve"), decide(id, "approve"), decide(id, "reject")]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409]);
    if ((await ended(id)).status === "rejected") return;
    const done = await ended(id);
    assert.equal(done.status, "executed", JSON.stringify(done));
    const operation = (await busbar.inProject("GET", `/operations/${done.operationId}`)).body;
    assert.deepEqual([operation.status, operation.actor.client], ["success", "Test 1.0"]);
  });

  test("an act whose record has changed since ends stale, and nothing is sent", async () => {
    const recordId = await createContact("stale@example.com");
    const { id } = await ask({ type: "update", record: { id: recordId, firstname: "Grace" } });
    await customer.succeed("contacts", { type: "update", record: { id: recordId, firstname: "Joan" } });
    assert.equal((await decide(id, "approve")).status, 200);
    const done = await ended(id);
    assert.deepEqual([done.status, done.operationId], ["stale", undefined]);
    assert.match(done.reason, /firstname/);
  });

  test("who asked cannot decide, nor a key that it has made", async () => {
    const made = await busbar.inProject("POST", "/api-keys", { label: "agent", scopes: ["full"] });
    const own = { "x-api-key": made.body.key };
    const child = await busbar.call(
      "POST",
      "/v1/projects/default/api-keys",
      { label: "child", scopes: ["full"] },
      own,
    );
    const { id } = await ask(
      { type: "create", record: { email: "own@example.com" } },
      { kind: "key", id: made.body.id },
    );
    assert.equal((await decide(id, "approve", own)).status, 403);
    assert.equal((await decide(id, "approve", { "x-api-key": child.body.key })).status, 403);
    assert.equal((await decide(id, "reject")).status, 200);
  });

  test("the same key gives the same approval, and is refused for another act", async () => {
    const record = { email: "same@example.com" };
    const principal = { kind: "key", id: newId() } as const;
    const asked = await Promise.all(
      [1, 2, 3].map(() => ask({ type: "create", record }, principal, { key: "k" })),
    );
    assert.equal(new Set(asked.map(({ id }) => id)).size, 1);
    await assert.rejects(
      ask({ type: "create", record: { email: "x@example.com" } }, principal, { key: "k" }),
      /Use a new key/,
    );
  });

  test("an approval of another project, or one that has expired, is not decided", async () => {
    const { id } = await ask({ type: "create", record: { email: "late@example.com" } }, undefined, {
      minutes: 0,
    });
    const late = await decide(id, "approve");
    assert.deepEqual(
      [late.status, (await busbar.inProject("GET", `/approvals/${id}`)).body.status],
      [409, "expired"],
    );
    const orgId = busbar.server.bootstrap?.orgId;
    const other = await busbar.call("POST", "/v1/projects", { orgId, name: "other", appName: "Other" });
    assert.equal(other.status, 201, other.text);
    const key = await busbar.call("POST", "/v1/projects/other/api-keys", {
      label: "other",
      scopes: ["full"],
    });
    const headers = { "x-api-key": key.body.key };
    const moved = await busbar.call(
      "POST",
      `/v1/projects/other/approvals/${id}:decide`,
      { decision: "approve" },
      headers,
    );
    assert.equal(moved.status, 404, moved.text);
  });

  test("fifty calls at once get exactly what the budget has", async () => {
    const within = parsePolicy({ budgets: { writesPerHour: 20, writesPerHourPerGroup: 7 } });
    const acts = Array.from({ length: 50 }, () => ({
      id: newId(),
      projectId,
      groupRef: newId().slice(0, 1),
    }));
    const results = await Promise.allSettled(acts.map((act) => takeBudget(services, within, act)));
    const taken = acts.filter((_act, at) => results[at]?.status === "fulfilled");
    assert.equal(taken.length, 7);
    for (const act of taken) await giveBackBudget(services, act);
  });
});
