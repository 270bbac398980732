/** The encryption key is replaced while two processes serve: nobody notices, and nothing is left on the old key. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readConfig } from "../../ground/config.ts";
import { createLog } from "../../ground/log.ts";
import { runKeysCommand } from "../../server/commands/keys-command.ts";
import type { Busbar } from "../../server/main.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { openClient, type Client } from "../harness/client.ts";
import { until } from "../harness/until.ts";
import { openConsentBrowser } from "../harness/consent.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";

const OLD = `old:${Buffer.alloc(32, 1).toString("base64")}`;
const NEW = `new:${Buffer.alloc(32, 2).toString("base64")}`;

/** A process that calls are sent to, and how many are under way. */
interface Member {
  client: Client;
  busy: number;
}

const keys = (...given: string[]) => ({ BUSBAR_ENCRYPTION_KEYS: given.join() });

describe("rotating the encryption key", () => {
  let busbar: TestBusbar;
  let second: Busbar;
  let dataDir: string;
  after(async () => {
    await busbar.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "busbar-keys-"));
    busbar = await openTestBusbar({ env: keys(OLD) });
    busbar.sandbox.hubspot.setLimits("off");
    second = await busbar.sibling();
    const app = { provider: "hubspot", clientId: "c", clientSecret: "s", scopes: ["oauth"] };
    assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
    await addWebhook(busbar, "hook", `${busbar.sandbox.url}/hook`);
    for (let count = 0; count < 10; count += 1) await connectWithKey(busbar, `early-${count}`);
  });

  const connectWithKey = async (through: Client, groupRef: string): Promise<string> => {
    const asked = { provider: "openAI", groupRef, consumerRef: "ada", apiKey: `key of ${groupRef}` };
    const made = await through.inProject("POST", "/connections:generate", asked);
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  };
  const readMember = ({ urls }: Busbar): Member => ({
    client: openClient({ apiKey: busbar.apiKey, projectId: busbar.projectId, urls: () => urls }),
    busy: 0,
  });

  /** Seals and opens everything there is to, without a pause, through whoever is in front, until stopped. */
  function askAway(front: Member[]) {
    const state = { asking: true, asked: 0 };
    const asker = async () => {
      while (state.asking) {
        const count = (state.asked += 1);
        const member = front[count % front.length];
        assert.ok(member);
        member.busy += 1;
        await askOnce(member.client, `during-${count}`);
        if (count % 3 === 0) await refreshAndConsent(member.client, `during-${count}`);
        member.busy -= 1;
      }
    };
    const askers = Promise.all([asker(), asker()]);
    return {
      async stop(): Promise<number> {
        state.asking = false;
        await askers;
        return state.asked;
      },
      /** Until so many more have been done. */
      rounds: (count: number): Promise<boolean> => {
        const goal = state.asked + count;
        return until(() => state.asked > goal);
      },
      /** Fails at once when an asker has. */
      whileAsking: <T>(work: Promise<T>): Promise<T> =>
        Promise.race([work, askers.then(() => assert.fail("nobody asks any more"))]),
    };
  }
  async function askOnce(through: Client, groupRef: string): Promise<void> {
    const id = await connectWithKey(through, groupRef);
    const shown = await through.inProject("GET", `/connections/${id}?includeCreds=true`);
    assert.equal(shown.body.apiKey, `key of ${groupRef}`, shown.text);
    const customer = { integration: "hubspot", groupRef: "acme" };
    const proxied = await through.proxied(customer, "/crm/v3/objects/contacts?limit=1");
    assert.equal(proxied.status, 200, proxied.text);
    const body = { groupRef: "acme", type: "create", record: { lastname: groupRef } };
    const written = await through.write("hubspot", "contacts", body);
    assert.equal(written.status, 200, written.text);
  }
  async function refreshAndConsent(through: Client, groupRef: string): Promise<void> {
    const [{ id }] = (await through.inProject("GET", "/connections?groupRef=acme")).body;
    const refreshed = await through.inProject("GET", `/connections/${id}?refresh=force`);
    assert.equal(refreshed.status, 200, refreshed.text);
    const asked = { projectIdOrName: "default", provider: "hubspot", groupRef, consumerRef: "ada" };
    const begun = await through.call("POST", "/v1/oauth-connect", asked);
    // The verifier is stored from here on.
    await openConsentBrowser().leave(begun.text);
  }
  const command = async (action: string, given: string) => {
    const env = { DATABASE_URL: busbar.connectionString, BUSBAR_DATA_DIR: dataDir, ...keys(given) };
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const done = await runKeysCommand(action, { config: readConfig(env), log: createLog("silent"), print });
    return { done, text: lines.join("\n") };
  };

  test("the new key goes behind, then in front, one process after the other, and the old one goes: no call fails, no value is left on it", async () => {
    await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
    const front = [readMember(busbar.server), readMember(second)];
    const asking = askAway(front);
    /** Takes a process out of service, like a load balancer: it gets no calls while it is replaced. */
    const takeOut = async (): Promise<void> => {
      const member = front.shift();
      await until(() => member?.busy === 0);
    };
    const replaceBoth = async (...given: string[]) => {
      await takeOut();
      await busbar.restart(keys(...given));
      front.push(readMember(busbar.server));
      await asking.rounds(4);
      await takeOut();
      await second.stop();
      second = await busbar.sibling(keys(...given));
      front.push(readMember(second));
    };

    await asking.whileAsking(replaceBoth(OLD, NEW));
    await asking.whileAsking(replaceBoth(NEW, OLD));
    const rotated = await asking.whileAsking(command("rotate", `${NEW},${OLD}`));
    assert.equal(rotated.done, true, rotated.text);
    assert.doesNotMatch(rotated.text, /\bold\b/);
    await asking.whileAsking(replaceBoth(NEW));
    assert.ok((await asking.stop()) > 15);

    const status = await command("status", NEW);
    assert.match(status.text, /^new {2}\d+ values {2}current: encrypts new values$/);
    for (const { id, group } of (await busbar.inProject("GET", "/connections?provider=openAI")).body) {
      const shown = await busbar.inProject("GET", `/connections/${id}?includeCreds=true`);
      assert.equal(shown.body.apiKey, `key of ${group.groupRef}`, shown.text);
    }
  });
});
