/** What callers are told, and what is recorded, when a provider misbehaves under a write. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { SandboxFault } from "../../sandbox/sandbox.ts";
import { shareTestBusbar, type Answer } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { until } from "../harness/until.ts";
import { assertProblem } from "./assert-problem.ts";

const HTML = { body: "<html><body>Sorry</body></html>", headers: { "content-type": "text/html" } };

interface Trouble {
  what: string;
  fault: SandboxFault;
  /** Status of a create and, where it differs, of an update. */
  status: number;
  updateStatus?: number;
  retryable: boolean;
  updateRetryable?: boolean;
  says: RegExp;
  updateSays?: RegExp;
}

/** For providers that answer: a busy machine may take long. */
const PATIENT_MS = 120_000;
/** For providers that never answer. */
const IMPATIENT_MS = 3_000;

const UNKNOWN = /^Whether the record was written is unknown.*Look it up/;

const TROUBLES: Trouble[] = [
  {
    what: "answers HTML with status 200",
    fault: { status: 200, ...HTML },
    status: 502,
    retryable: false,
    says: UNKNOWN,
    updateRetryable: true,
    updateSays: /failed: .*200.*in between/,
  },
  {
    what: "answers HTML with status 503",
    fault: { status: 503, ...HTML },
    status: 504,
    retryable: false,
    says: UNKNOWN,
    updateStatus: 502,
    updateRetryable: true,
    updateSays: /failed: .*503/,
  },
  {
    what: "answers 500",
    fault: { status: 500, body: {} },
    status: 504,
    retryable: false,
    says: UNKNOWN,
    updateStatus: 502,
    updateRetryable: true,
    updateSays: /failed: .*500/,
  },
  {
    what: "stores the record and answers 500",
    fault: { status: 500, body: {}, stored: true },
    status: 504,
    retryable: false,
    says: UNKNOWN,
    updateStatus: 502,
    updateRetryable: true,
    updateSays: /failed: .*500/,
  },
  {
    what: "says that it is unavailable, and for how long",
    fault: { status: 503, body: "", headers: { "retry-after": "1" } },
    status: 502,
    retryable: true,
    says: /failed: .*503/,
  },
  {
    what: "answers 406 without a body",
    fault: { status: 406, body: "" },
    status: 502,
    retryable: true,
    says: /failed: .*406.*in between/,
  },
  {
    what: "is behind a firewall that blocks",
    fault: { status: 403, ...HTML },
    status: 502,
    retryable: true,
    says: /failed: .*403.*in between/,
  },
  {
    what: "answers half a JSON",
    fault: { status: 201, body: '{"id": "1', headers: { "content-type": "application/json" } },
    status: 502,
    retryable: false,
    says: UNKNOWN,
  },
  {
    what: "sends elsewhere",
    fault: { status: 302, body: "", headers: { location: "http://169.254.169.254/" } },
    status: 504,
    retryable: false,
    says: UNKNOWN,
    updateStatus: 502,
    updateRetryable: true,
    updateSays: /failed: .*302.*in between/,
  },
  {
    what: "never answers",
    fault: { hang: true },
    status: 504,
    retryable: false,
    says: UNKNOWN,
    updateRetryable: true,
    updateSays: /failed: .*did not answer in time/,
  },
  {
    what: "hangs up before it answers",
    fault: { reset: "before" },
    status: 504,
    retryable: false,
    says: UNKNOWN,
    updateStatus: 502,
    updateRetryable: true,
    updateSays: /failed: .*broke/,
  },
];

const busbar = await shareTestBusbar({ providerTimeoutMs: PATIENT_MS });

describe("when a provider misbehaves", () => {
  before(async () => {
    for (const provider of ["hubspot", "salesforce"] as const) {
      // Refreshing a token takes the builder's client.
      const app = { provider, clientId: "client", clientSecret: "secret", scopes: ["crm"] };
      assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
      await connectCustomer(busbar, { provider, objects: [OBJECTS[provider]] });
    }
  });
  beforeEach(() => busbar.sandbox.clearFaults());

  const OBJECTS = { hubspot: "contacts", salesforce: "Contact" } as const;
  const SEEDED = {
    hubspot: { id: "501", firstname: "Changed" },
    salesforce: { id: "003Sb0000000001IAA", FirstName: "Changed" },
  };
  let count = 0;
  const freshRecord = (provider: "hubspot" | "salesforce") =>
    provider === "hubspot" ? { email: `trouble-${++count}@example.com` } : { LastName: `Trouble ${++count}` };
  const write = (provider: "hubspot" | "salesforce", type: string, record: object) =>
    busbar.write(provider, OBJECTS[provider], { groupRef: "acme", type, record });

  /** The operation that the refusal names: failed, listed first, with a log that shows no token. */
  async function assertFailed(answer: Answer, provider: "hubspot" | "salesforce"): Promise<void> {
    const { operationId } = answer.body;
    const operation = await busbar.inProject("GET", `/operations/${operationId}`);
    assert.equal(operation.body.status, "failure", operation.text);
    assert.match(operation.body.result, new RegExp(`\\[${OBJECTS[provider]}\\]`));
    const [installation] = (await busbar.inProject("GET", `/integrations/${provider}/installations`)).body;
    const list = await busbar.inProject(
      "GET",
      `/integrations/${provider}/installations/${installation.id}/operations?pageSize=1`,
    );
    assert.equal(list.body.results[0].id, operationId);
    assert.equal(installation.lastOperationStatus, "failure");
    const logs = await busbar.inProject("GET", `/operations/${operationId}/logs`);
    assert.ok(logs.body.some((entry: { severity: string }) => entry.severity === "ERROR"));
    assert.doesNotMatch(logs.text, /Bearer|authorization/i);
  }

  function testTrouble(provider: "hubspot" | "salesforce", trouble: Trouble): void {
    test(`${provider} ${trouble.what}: a create is sent once and told as it is`, async () => {
      busbar.sandbox.addFault({ ...trouble.fault, provider, count: 10 });
      const answer = await write(provider, "create", freshRecord(provider));
      const problem = assertProblem(answer, trouble.status);
      assert.equal(problem.subsystem, "write");
      assert.equal(problem.retryable, trouble.retryable);
      assert.match(problem.detail, trouble.says);
      assert.deepEqual(problem.result, { success: false });
      assert.equal(problem.errors.length, 1);
      assert.equal(busbar.sandbox.faults()[0]?.hits, 1);
      await assertFailed(answer, provider);
    });

    test(`${provider} ${trouble.what}: an update is reported as it is`, async () => {
      busbar.sandbox.addFault({ ...trouble.fault, provider, count: 10 });
      const answer = await write(provider, "update", SEEDED[provider]);
      const problem = assertProblem(answer, trouble.updateStatus ?? trouble.status);
      assert.equal(problem.retryable, trouble.updateRetryable ?? trouble.retryable);
      assert.match(problem.detail, trouble.updateSays ?? trouble.says);
      await assertFailed(answer, provider);
    });
  }

  for (const provider of ["hubspot", "salesforce"] as const) {
    for (const trouble of TROUBLES) if (!trouble.fault.hang) testTrouble(provider, trouble);

    test(`${provider} hangs up after it stored: the record is there, and the answer does not deny it`, async () => {
      busbar.sandbox.addFault({ provider, reset: "after" });
      const before = busbar.sandbox.records(provider, OBJECTS[provider]).length;
      const problem = assertProblem(
        await write(provider, "create", freshRecord(provider)),
        504,
        "unknown-outcome",
      );
      assert.match(problem.detail, UNKNOWN);
      assert.equal(problem.retryable, false);
      assert.equal(busbar.sandbox.records(provider, OBJECTS[provider]).length, before + 1);
    });

    test(`${provider} says 429: the refusal says when to try again, and a write at that time gets through`, async () => {
      busbar.sandbox.addFault({
        provider,
        status: 429,
        body: { message: "slow down" },
        headers: { "retry-after": "3" },
      });
      const sentMs = Date.now();
      const answer = await write(provider, "create", freshRecord(provider));
      const problem = assertProblem(answer, 429, "rate-limited");
      assert.equal(problem.retryable, true);
      const waitMs = new Date(problem.retryAfter).getTime() - new Date(problem.time).getTime();
      assert.ok(waitMs <= 4_000, String(waitMs));
      assert.ok(new Date(problem.retryAfter).getTime() >= sentMs + 3_000, problem.retryAfter);
      const opensMs = Date.parse(answer.headers.get("retry-after") ?? "");
      await assertFailed(answer, provider);
      // A timer may end a millisecond early.
      await until(() => Date.now() >= opensMs);
      const obeying = await write(provider, "create", freshRecord(provider));
      assert.equal(obeying.status, 200, obeying.text);
    });

    test(`${provider} lets a token expire: it is refreshed once and the write repeated once`, async () => {
      busbar.sandbox[provider].expireTokens();
      busbar.sandbox.clearRequests();
      const answer = await write(provider, "create", freshRecord(provider));
      assert.equal(answer.status, 200, answer.text);
      const sent = busbar.sandbox.requests({ provider });
      const refreshes = sent.filter((request) => request.path.includes("/token"));
      assert.equal(refreshes.length, 1);
      assert.deepEqual(
        sent.filter((request) => !refreshes.includes(request)).map(({ status }) => status === 401),
        [true, false],
      );
    });

    test(`${provider} lets a token expire under many writes: it is refreshed once`, async () => {
      busbar.sandbox[provider].expireTokens();
      busbar.sandbox.clearRequests();
      const writes = Array.from({ length: 8 }, () => write(provider, "create", freshRecord(provider)));
      for (const answer of await Promise.all(writes)) assert.equal(answer.status, 200, answer.text);
      const refreshes = busbar.sandbox.requests({ provider, path: "/token" });
      assert.equal(refreshes.length, 1);
    });
  }

  describe("that never answers", () => {
    before(() => busbar.restart({}, IMPATIENT_MS));
    after(() => busbar.restart());
    for (const provider of ["hubspot", "salesforce"] as const)
      for (const trouble of TROUBLES) if (trouble.fault.hang) testTrouble(provider, trouble);
  });

  for (const provider of ["hubspot", "salesforce"] as const) {
    test(`${provider} took the grant away: the refusal says to connect again, and the connection shows it`, async () => {
      busbar.sandbox[provider].revokeTokens();
      const answer = await write(provider, "create", freshRecord(provider));
      const problem = assertProblem(answer, 422, "reconnect-required");
      assert.match(problem.detail, /connect the account again/);
      assert.equal(problem.retryable, false);
      await assertFailed(answer, provider);
      const [connection] = (await busbar.inProject("GET", `/connections?provider=${provider}`)).body;
      assert.deepEqual([connection.status, connection.id], ["bad_credentials", problem.connectionId]);
      const [installation] = (await busbar.inProject("GET", `/integrations/${provider}/installations`)).body;
      assert.equal(installation.healthStatus, "unhealthy");
      const again = await write(provider, "update", SEEDED[provider]);
      assert.match(assertProblem(again, 422).detail, /connect/i);
    });
  }
});
