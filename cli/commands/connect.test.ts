/** A customer connects, installs and leaves by the command line, against a real server and the sandbox. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { openConsentBrowser } from "../../tests/harness/consent.ts";
import { runCli, type Surroundings } from "../../tests/harness/command-line.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: "0 * * * *"
          requiredFields:
            - { fieldName: email }
            - { fieldName: firstname, mapToName: givenName }
            - { mapToName: notes, prompt: Which field holds notes? }
            - { mapToName: title, default: jobtitle }
          optionalFields: [{ fieldName: phone }, { mapToName: nickname, default: company }]
    write: { objects: [{ objectName: contacts, inheritMapping: true }, { objectName: companies }] }
    proxy: { enabled: true }
`;

const server = await shareTestBusbar();

await server.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
const app = { provider: "hubspot", clientId: "my-client", clientSecret: "my-secret", scopes: ["oauth"] };
await server.inProject("POST", "/provider-apps", app);

describe("connecting and installing", () => {
  const busbar = (line: string, more: Surroundings = {}) =>
    runCli(line.split(" "), {
      ...more,
      env: { BUSBAR_URL: new URL(server.server.urls.base).origin, BUSBAR_API_KEY: server.apiKey },
    });
  async function json(line: string, more: Surroundings = {}) {
    const { code, stdout, stderr } = await busbar(`${line} --json`, more);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  }
  /** A customer who agrees at once to the page that is printed. */
  const agreeing: Surroundings = {
    onOutput(text) {
      const [page] = /http\S+\/callbacks\/v1\/oauth\/begin\S+/.exec(text) ?? [];
      if (page) void openConsentBrowser().consent(page);
    },
  };

  test("connect prints the consent page, waits until the customer has agreed, and shows the connection", async () => {
    const connection = await json("connect hubspot --group acme --consumer ada", agreeing);
    assert.deepEqual(
      [connection.provider, connection.group.groupRef, connection.consumer.consumerRef],
      ["hubspot", "acme", "ada"],
    );
    const again = await json("connect hubspot --group acme", agreeing);
    assert.equal(again.id, connection.id);
    assert.notEqual(again.updateTime, connection.updateTime);
  });

  test("connect tells a failed consent at once: it waits where the page offers another attempt, and else ends", async () => {
    const customer = openConsentBrowser();
    const again: Surroundings = {
      onOutput(text) {
        const [page] = /http\S+\/callbacks\/v1\/oauth\/begin\S+/.exec(text) ?? [];
        if (page) void customer.consent(page, "deny");
        if (text.includes("try again")) void retry();
      },
    };
    const retry = async () => {
      const away = await customer.send();
      await customer.open(await customer.decide(away.headers.get("location") ?? ""));
    };
    const declined = await busbar("connect hubspot --group wavering", again);
    assert.equal(declined.code, 0, declined.stderr);
    assert.match(
      declined.stderr,
      /failed \(declined\): access_denied: end-user denied.*\nThe page offers to try again/,
    );

    server.sandbox.addFault({
      provider: "hubspot",
      path: "/oauth/2026-03/token",
      status: 400,
      body: { error: "invalid_client" },
    });
    const broken = await busbar("connect hubspot --group broken", agreeing);
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /The consent failed \(provider-app\): \S+ answered 400 \(invalid_client\)/);
    const [listed] = await json("list consents --status failed");
    assert.deepEqual([listed.groupRef, listed.reason], ["broken", "provider-app"]);
  });

  test("connect ends when nobody agrees in time, or Ctrl-C is pressed", async () => {
    const late = await busbar("connect hubspot --group late --timeout-seconds 1");
    assert.deepEqual([late.code, late.stdout], [1, ""]);
    assert.match(late.stderr, /no connection after 1 seconds/);
    const stopped = new AbortController();
    const { code } = await busbar("connect hubspot --group late", {
      interrupted: stopped.signal,
      onOutput: () => stopped.abort(),
    });
    assert.equal(code, 1);
  });

  test("credentials come from stdin, replace those that the customer had, and are never an argument", async () => {
    const argument = await busbar("connect stripe --group acme --credentials sk_1");
    assert.equal(argument.code, 2);
    assert.doesNotMatch(argument.stderr, /sk_1/);
    const asked = await busbar("connect stripe --group acme");
    assert.deepEqual([asked.code, /apiKey/.test(asked.stderr)], [2, true]);
    const first = await json("connect stripe --group acme --credentials -", { stdin: "sk_1\n" });
    const second = await json("connect stripe --group acme --credentials -", { stdin: "sk_2\n" });
    assert.equal(second.id, first.id);
    const { body } = await server.inProject("GET", `/connections/${first.id}?includeCreds=true`);
    assert.equal(body.apiKey, "sk_2");
    const pair = { stdin: '{"username": "ada", "password": "x"}' };
    assert.equal((await json("connect amplitude --group acme --credentials -", pair)).authScheme, "basic");
    const half = await busbar("connect amplitude --group acme --credentials -", {
      stdin: '{"username": "ada"}',
    });
    assert.deepEqual([half.code, /username, password/.test(half.stderr)], [2, true]);
    const site = await busbar("connect chargebee --group acme --credentials -", { stdin: "k" });
    assert.deepEqual([site.code, /providerMetadata\.workspace/.test(site.stderr)], [1, true]);
    assert.equal((await busbar("connect nothing --group acme")).code, 1);
  });

  test("install takes everything in the manifest and selects no field twice; open and optional names are given by --map", async () => {
    const open = await busbar("install crm --group acme");
    assert.equal(open.code, 2);
    assert.match(open.stderr, /`notes` of contacts needs a field\. Give --map notes=<field>\. Fields: /);
    const wrong = await busbar("install crm --group acme --map note=city");
    assert.match(
      wrong.stderr,
      /`note` is not a name .* contacts\.notes, contacts\.title, contacts\.nickname/,
    );
    const installed = await json("install crm --group acme --map contacts.notes=city");
    assert.deepEqual(installed.config.content.read.objects.contacts, {
      objectName: "contacts",
      selectedFields: {},
      selectedFieldMappings: { notes: "city", title: "jobtitle" },
    });
    assert.deepEqual(Object.keys(installed.config.content.write.objects), ["contacts", "companies"]);
    assert.equal(installed.config.content.proxy.enabled, true);
    const written = await busbar(
      "write crm contacts --group acme --set email=a@b.example --set givenName=Ada",
    );
    assert.equal(written.code, 0, written.stderr);
    const twice = await busbar("install crm --group acme --map notes=city");
    assert.match(twice.stderr, /has installed this integration already/);
    await json("connect hubspot --group initech", agreeing);
    const optional = await json("install crm --group initech --map notes=city --map nickname=lastname");
    assert.deepEqual(optional.config.content.read.objects.contacts.selectedFieldMappings, {
      notes: "city",
      title: "jobtitle",
      nickname: "lastname",
    });
  });

  test("install says how to connect a customer who is not, and takes a whole configuration", async () => {
    const { code, stderr } = await busbar("install crm --group stranger");
    assert.deepEqual([code, /busbar connect hubspot --group stranger/.test(stderr)], [1, true]);
    await json("connect hubspot --group globex", agreeing);
    const stdin = '{"write": {"objects": {"companies": {}}}}';
    const { stdout } = await busbar("install crm --group globex --config -", { stdin });
    assert.match(stdout, /^installed crm for globex\ninstallation: \S+\n/);
    assert.doesNotMatch(stdout, /contacts/);
  });

  test("uninstall removes it together with the connection, and without a terminal only with --yes", async () => {
    const asked = await busbar("uninstall crm --group globex");
    assert.deepEqual([asked.code, /--yes/.test(asked.stderr)], [2, true]);
    const { stdout } = await busbar("uninstall crm --group globex --yes");
    assert.equal(stdout, "uninstalled crm for globex\n");
    assert.deepEqual(await json("list connections --group globex"), []);
    assert.equal((await busbar("uninstall crm --group globex --yes")).code, 1);
  });
});
