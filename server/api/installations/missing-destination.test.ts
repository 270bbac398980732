/** A destination that does not exist is told by the very answer that makes an installation need it, since then. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { until } from "../../../tests/harness/until.ts";

const manifest = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: later
          schedule: "*/10 * * * *"
          requiredFields: [{ fieldName: email }]
          optionalFields: [{ fieldName: jobtitle }]
    subscribe:
      objects:
        - objectName: contacts
          destination: never
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
`;

interface Reason {
  type: string;
  name: string;
  since: string;
}

const busbar = await shareTestBusbar();

describe("a destination that is missing", () => {
  let installationId = "";
  before(async () => {
    await post("/connections:generate", {
      provider: "hubspot",
      groupRef: "acme",
      consumerRef: "ada",
      oauth2AuthorizationCode: { accessToken: { token: busbar.sandbox.hubspot.mintToken().accessToken } },
    });
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest });
    assert.equal(deployed.status, 200, deployed.text);
  });

  async function post(path: string, body: object) {
    const answer = await busbar.inProject("POST", path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  }
  const place = () => `/integrations/crm/installations/${installationId}`;
  const missing = ({ healthReasons, healthStatus }: { healthReasons: Reason[]; healthStatus: string }) => {
    assert.equal(healthStatus, healthReasons.length > 0 ? "unhealthy" : "healthy");
    const found = healthReasons.filter(({ type }) => type === "destination");
    return Object.fromEntries(found.map(({ name, since }) => [name, since]));
  };
  const look = async () => missing((await busbar.inProject("GET", place())).body);
  const settled = (names: string[]) =>
    until(
      async () =>
        Object.keys(await look())
          .toSorted()
          .join() === names.toSorted().join(),
    );
  const update = async (value: object) => {
    const content = { provider: "hubspot", read: { objects: { contacts: value } } };
    const answer = await busbar.inProject("PATCH", place(), {
      updateMask: ["config.content.read.objects.contacts"],
      installation: { config: { content } },
    });
    assert.equal(answer.status, 200, answer.text);
    return missing(answer.body);
  };

  test("makes the answer to the creation unhealthy, with the time that later looks tell", async () => {
    const content = { provider: "hubspot", read: { objects: { contacts: { objectName: "contacts" } } } };
    const body = await post("/integrations/crm/installations", { groupRef: "acme", config: { content } });
    installationId = body.id;
    assert.deepEqual(missing(body), { later: body.createTime, never: body.createTime });
    await settled(["later", "never"]);
    assert.deepEqual(await look(), missing(body));
  });

  test("keeps its time when the customer's configuration is changed", async () => {
    const known = await look();
    const answered = await update({ objectName: "contacts", selectedFields: { jobtitle: true } });
    assert.deepEqual(answered, known);
    await until(async () => {
      const { body } = await busbar.inProject("GET", place());
      return body.config.content.read.objects.contacts.selectedFields?.jobtitle === true;
    });
    assert.deepEqual(await look(), known);
  });

  test("is no reason any more in the answer that names another one", async () => {
    const known = await look();
    const made = { name: "there", type: "webhook", metadata: { url: "https://example.com/hook" } };
    await post("/destinations", made);
    const answered = await update({ objectName: "contacts", destination: "there" });
    assert.deepEqual(answered, { never: known["never"] });
    await settled(["never"]);
    assert.deepEqual(await look(), answered);
  });
});
