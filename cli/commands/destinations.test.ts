/** `test`, `resend` and `rotate` against a real server and a receiver that can be broken. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { runCli } from "../../tests/harness/command-line.ts";
import { until } from "../../tests/harness/until.ts";

const server = await shareTestBusbar({ env: { BUSBAR_WEBHOOK_RETRY_SECONDS: "0.05" } });

describe("a destination", () => {
  let works = false;
  const received: IncomingHttpHeaders[] = [];
  const app = createServer((request, response) => {
    request.resume();
    if (works) received.push(request.headers);
    response.writeHead(works ? 204 : 500).end();
  });
  before(async () => {
    await once(app.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}/`;
    for (const line of [
      `create destination my-app --webhook ${url}`,
      "create destination log --type log",
      "create topic connections",
      "create event-route connection.created connections",
      "create destination-route connections my-app",
    ]) {
      assert.equal((await busbar(line)).code, 0, line);
    }
  });
  after(async () => {
    app.close();
  });
  const busbar = (line: string) =>
    runCli(line.split(" "), {
      env: { BUSBAR_URL: new URL(server.server.urls.base).origin, BUSBAR_API_KEY: server.apiKey },
    });
  const deliveries = async (status: string) =>
    JSON.parse((await busbar(`list deliveries --destination my-app --status ${status} --json`)).stdout);
  const happen = (groupRef: string) =>
    server.inProject("POST", "/connections:generate", {
      provider: "stripe",
      groupRef,
      consumerRef: "ada",
      apiKey: "sk",
    });

  test("that is a webhook needs its URL, which is not that of the server", async () => {
    const made = await busbar("create destination other --type webhook --url https://app.example.com/hook");
    assert.deepEqual([made.code, /--webhook; --url is the address of Busbar/.test(made.stderr)], [2, true]);
  });

  test("is tested with a sample: whether it arrived is said and is the exit code", async () => {
    const bad = await busbar("test destination my-app");
    assert.deepEqual(
      [bad.code, /^not delivered after \d+ ms: .*500/.test(bad.stdout)],
      [1, true],
      bad.stdout,
    );
    works = true;
    const good = await busbar("test destination my-app --event write.async.done");
    assert.deepEqual(
      [good.code, /^delivered HTTP 204 in \d+ ms\n$/.test(good.stdout)],
      [0, true],
      good.stdout,
    );
    assert.equal(JSON.parse((await busbar("test destination my-app --json")).stdout).delivered, true);
    assert.equal((await busbar("test destination nothing")).code, 1);
    assert.equal((await busbar("test destination my-app --event nothing")).code, 2);
  });

  test("gets again what failed: one delivery, or all of a time", async () => {
    works = false;
    await happen("first");
    await happen("second");
    await until(async () => (await deliveries("failed")).length === 2);
    works = true;
    const arrived = received.length;
    const [{ id }] = await deliveries("failed");
    assert.equal((await busbar(`resend ${id}`)).stdout, `resending ${id} to my-app\n`);
    await until(() => received.length >= arrived + 1);
    assert.equal(received.at(-1)?.["webhook-id"], id);
    assert.equal(
      (await busbar("resend --destination my-app --failed --until 1h")).stdout,
      "resending 0 deliveries\n",
    );
    assert.equal(
      (await busbar("resend --destination my-app --undelivered --since 1h")).stdout,
      "resending 1 delivery\n",
    );
    await until(() => received.length >= arrived + 2);
    const one = JSON.parse((await busbar(`resend ${id} --destination my-app --json`)).stdout);
    assert.equal(one.id, id);
    const missing = await busbar("resend 0190aaaa-0000-7000-8000-000000000000");
    assert.deepEqual([missing.code, /No destination/.test(missing.stderr)], [1, true]);
  });

  test("is not resent to by half a command", async () => {
    for (const line of [
      "resend",
      "resend --failed",
      "resend --destination my-app",
      "resend x --undelivered",
    ]) {
      assert.equal((await busbar(line)).code, 2, line);
    }
    const when = await busbar("resend --destination my-app --failed --since yesterday");
    assert.deepEqual([when.code, /30m, 2h, 3d/.test(when.stderr)], [2, true]);
  });

  test("gets a new signing key, which is shown only when asked for", async () => {
    const key = async () =>
      JSON.parse((await busbar("get destination my-app --include-secrets --json")).stdout).secrets
        .webhookSigningKey;
    const before = await key();
    const quiet = await busbar("rotate destination my-app");
    assert.equal(quiet.stdout, "rotated the signing key of my-app\n");
    const between = await key();
    assert.notEqual(between, before);
    const shown = await busbar("rotate destination my-app --include-secrets");
    assert.equal(shown.stdout, `rotated the signing key of my-app\n${await key()}\n`);
    assert.notEqual(await key(), between);
    assert.equal((await busbar("rotate destination log")).code, 1);
  });
});
