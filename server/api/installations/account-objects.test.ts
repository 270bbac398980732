/** Objects that are read and subscribed to are those of the customer's account, where the account can be asked. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import type { Answer } from "../../../tests/harness/client.ts";
import { addWebhook } from "../../../tests/harness/deliveries/routes.ts";

type Provider = "hubspot" | "salesforce" | "pipedrive";

const busbar = await shareTestBusbar();

await addWebhook(busbar, "hook", "https://receiver.example/hook");

describe("the objects of an installation", () => {
  let customers = 0;

  const deploy = async (provider: Provider, blocks: string): Promise<string> => {
    const sourceYaml = `
specVersion: 1.0.0
integrations:
  - name: ${provider}
    provider: ${provider}
${blocks}`;
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml });
    assert.equal(deployed.status, 200, deployed.text);
    return provider;
  };
  const connect = async (provider: Provider): Promise<string> => {
    const groupRef = `group-${(customers += 1)}`;
    const token = provider === "pipedrive" ? "t" : busbar.sandbox[provider].mintToken().accessToken;
    const connected = await busbar.inProject("POST", "/connections:generate", {
      provider,
      groupRef,
      consumerRef: "ada",
      ...(provider !== "hubspot" && { providerWorkspaceRef: "acme" }),
      oauth2AuthorizationCode: { accessToken: { token } },
    });
    assert.equal(connected.status, 201, connected.text);
    return groupRef;
  };
  const install = async (provider: Provider, content: object, query = ""): Promise<Answer> =>
    busbar.inProject("POST", `/integrations/${provider}/installations${query}`, {
      groupRef: await connect(provider),
      config: { content },
    });
  const refusedAt = (answer: Answer) => {
    assert.equal(answer.status, 422, answer.text);
    return answer.body.issues.map(({ name, remedy }: Record<string, string>) => [name, remedy]);
  };
  const reading = (...names: string[]) => ({
    read: { objects: Object.fromEntries(names.map((name) => [name, { selectedFieldsAuto: "all" }])) },
  });

  test("are refused if HubSpot does not have one, read without a schedule or subscribed to, with the nearest name", async () => {
    await deploy(
      "hubspot",
      `
    read:
      objects:
        - { objectName: contcats, destination: hook, optionalFieldsAuto: all }
        - { objectName: deals, destination: hook, optionalFieldsAuto: all }
        - { objectName: compnaies, destination: hook, optionalFieldsAuto: all }
        - { objectName: conversations, destination: hook, optionalFieldsAuto: all }
    subscribe:
      objects:
        - { objectName: compnaies, destination: hook, inheritFieldsAndMapping: true, createEvent: { enabled: always } }
        - { objectName: conversations, destination: hook, inheritFieldsAndMapping: true, createEvent: { enabled: always } }`,
    );
    assert.deepEqual(refusedAt(await install("hubspot", reading("contcats", "deals"))), [
      ["config.content.read.objects.contcats", 'Did you mean "contacts"?'],
      ["config.content.subscribe.objects.compnaies", 'Did you mean "companies"?'],
    ]);
    const unchecked = await install("hubspot", reading("contcats"), "?skipSampling=true");
    assert.equal(unchecked.status, 201, unchecked.text);
  });

  test("that resemble a standard object are a warning at deploy, whatever is done with them, unless silenced", async () => {
    const sourceYaml = `
specVersion: 1.0.0
integrations:
  - name: typos
    provider: hubspot
    write:
      objects: [{ objectName: contcats }, { objectName: cars }, { objectName: contact }, { objectName: p4100410_rocket }]
  - name: more-typos
    provider: salesforce
    write:
      objects: [{ objectName: Oportunity }, { objectName: Contract }, { objectName: Invoice__c }]
`;
    const { status, body, text } = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml });
    assert.equal(status, 200, text);
    const reported = (body as { warnings: { rule: string; remedy: string; line: number }[] }[]).flatMap(
      ({ warnings }) =>
        warnings.flatMap(({ rule, remedy, line }) =>
          rule === "unknown-object" ? [[line, remedy.replace(/\?.*/, "")]] : [],
        ),
    );
    assert.deepEqual(reported, [
      [7, 'Did you mean "contacts"'],
      [11, 'Did you mean "Opportunity"'],
    ]);
  });

  test("have the objects of the account as remedy where no name is near, custom ones included", async () => {
    const created = await fetch(`${busbar.sandbox.hubspot.url}/crm/v3/schemas`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${busbar.sandbox.hubspot.staticToken}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ name: "rockets" }),
    });
    assert.equal(created.status, 201);
    await deploy(
      "hubspot",
      "    read: { objects: [{ objectName: rocket, destination: hook, optionalFieldsAuto: all }] }",
    );
    assert.deepEqual(refusedAt(await install("hubspot", reading("rocket"))), [
      ["config.content.read.objects.rocket", 'Did you mean "rockets"?'],
    ]);
    await deploy(
      "hubspot",
      "    read: { objects: [{ objectName: zzz, destination: hook, optionalFieldsAuto: all }] }",
    );
    const [[, remedy]] = refusedAt(await install("hubspot", reading("zzz")));
    assert.match(remedy, /^It has contacts, companies, deals, /);
    await deploy(
      "hubspot",
      "    read: { objects: [{ objectName: rockets, destination: hook, optionalFieldsAuto: all }] }",
    );
    assert.equal((await install("hubspot", reading("rockets"))).status, 201);
  });

  test("are refused if Salesforce does not have one, in any case of letters otherwise accepted", async () => {
    await deploy(
      "salesforce",
      `
    read:
      objects:
        - { objectName: contact, destination: hook, optionalFieldsAuto: all }
        - { objectName: Acount, destination: hook, optionalFieldsAuto: all }`,
    );
    const refused = await install("salesforce", reading("contact", "Acount"));
    assert.deepEqual(refusedAt(refused), [["config.content.read.objects.Acount", 'Did you mean "Account"?']]);
    assert.match(refused.body.issues[0].detail, /has no object `Acount`/);
    assert.equal((await install("salesforce", reading("contact"))).status, 201);
  });

  test("are refused if the provider's description does not have one", async () => {
    await deploy(
      "pipedrive",
      "    read: { objects: [{ objectName: person, destination: hook, optionalFieldsAuto: all }] }",
    );
    assert.deepEqual(refusedAt(await install("pipedrive", reading("person"))), [
      ["config.content.read.objects.person", 'Did you mean "persons"?'],
    ]);
  });

  test("that are only written are a warning, of the account or of the description", async () => {
    await deploy(
      "hubspot",
      "    write: { objects: [{ objectName: contacts }, { objectName: tickest }, { objectName: lists }] }",
    );
    const { status, body } = await install("hubspot", {});
    assert.equal(status, 201);
    const [warning, ...more] = body.warnings;
    assert.deepEqual(
      [warning.name, warning.remedy, more],
      ["config.content.write.objects.tickest", 'Did you mean "tickets"?', []],
    );
    assert.match(warning.detail, /account at hubspot has no object `tickest`/);
    const path = `/integrations/hubspot/installations/${body.id}`;
    assert.equal((await busbar.inProject("GET", path)).body.warnings, undefined);
    const changed = await busbar.inProject("PATCH", path, {
      updateMask: ["config.content.write.objects"],
      installation: { config: { content: { write: { objects: { contacts: {} } } } } },
    });
    assert.deepEqual([changed.status, changed.body.warnings], [200, undefined], changed.text);
    await deploy("pipedrive", "    write: { objects: [{ objectName: person }, { objectName: persons }] }");
    const { body: piped } = await install("pipedrive", {});
    assert.deepEqual(
      piped.warnings.map(({ name, remedy }: Record<string, string>) => [name, remedy]),
      [["config.content.write.objects.person", 'Did you mean "persons"?']],
    );
  });

  test("are checked at a change that adds one, not where it leaves the others", async () => {
    await deploy(
      "hubspot",
      `
    read:
      objects:
        - { objectName: contcats, destination: hook, optionalFieldsAuto: all }
        - { objectName: dael, destination: hook, optionalFieldsAuto: all }
        - { objectName: deals, destination: hook, optionalFieldsAuto: all }`,
    );
    const { body } = await install("hubspot", reading("contcats"), "?skipSampling=true");
    const add = (name: string) =>
      busbar.inProject("PATCH", `/integrations/hubspot/installations/${body.id}`, {
        updateMask: [`config.content.read.objects.${name}`],
        installation: { config: { content: reading(name) } },
      });
    const kept = await add("deals");
    assert.equal(kept.status, 200, kept.text);
    assert.deepEqual(
      refusedAt(await add("dael")).map(([name]: string[]) => name),
      ["config.content.read.objects.dael"],
    );
  });

  test("are not checked while the provider cannot be asked", async () => {
    await deploy(
      "hubspot",
      "    read: { objects: [{ objectName: contcats, destination: hook, optionalFieldsAuto: all }] }",
    );
    busbar.sandbox.addFault({ provider: "hubspot", path: "/properties/", status: 503, count: 10 });
    const installed = await install("hubspot", reading("contcats"));
    busbar.sandbox.clearFaults();
    assert.equal(installed.status, 201, installed.text);
  });
});
