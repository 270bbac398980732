/** Deploys at the same moment, through a real Busbar: a name belongs to one integration of one provider. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar, type Answer } from "../../../tests/harness/busbar.ts";

const AT_ONCE = 8;

const content = (provider: string) => ({ provider, proxy: { enabled: true } });

const manifest = (name: string, provider: string) => `
specVersion: 1.0.0
integrations:
  - name: ${name}
    provider: ${provider}
    proxy: { enabled: true }
`;

const busbar = await shareTestBusbar();

describe("deploys at the same moment", () => {
  const atOnce = async (call: (turn: number) => Promise<Answer>): Promise<number[]> =>
    (await Promise.all(Array.from({ length: AT_ONCE }, (_, turn) => call(turn))))
      .map(({ status }) => status)
      .toSorted((left, right) => left - right);

  test("create an integration once; the others are told that there is one", async () => {
    const latestRevision = { specVersion: "1.0.0", content: content("hubspot") };
    const body = { name: "once", provider: "hubspot", latestRevision };
    const statuses = await atOnce(() => busbar.inProject("POST", "/integrations", body));
    assert.deepEqual(statuses, [201, ...Array.from({ length: AT_ONCE - 1 }, () => 409)]);
  });

  test("do not move an integration to another provider", async () => {
    const statuses = await atOnce((turn) =>
      busbar.inProject("PUT", "/integrations:batch", {
        sourceYaml: manifest("torn", turn % 2 === 0 ? "hubspot" : "github"),
      }),
    );
    const half = AT_ONCE / 2;
    assert.deepEqual(statuses, [...Array(half).fill(200), ...Array(half).fill(422)]);
    const { provider, latestRevision } = (await busbar.inProject("GET", "/integrations/torn")).body;
    assert.equal(latestRevision.content.provider, provider);
  });
});
