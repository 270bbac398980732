/** Integrations that come as JSON, through a real Busbar. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";

const busbar = await shareTestBusbar();

describe("an integration made of JSON", () => {
  const create = async (content: object, specVersion = "1.0.0") =>
    busbar.inProject("POST", "/integrations", {
      name: "made",
      provider: "hubspot",
      latestRevision: { specVersion, content },
    });

  test("is told its mistakes by their place in the request: there are no lines to look for", async () => {
    const { status, body } = await create({ write: { objects: [{}] } }, "2.0.0");
    assert.equal(status, 422);
    assert.deepEqual(
      body.issues.map(({ name, line }: { name: string; line?: number }) => [name, line]),
      [
        ["latestRevision.specVersion", undefined],
        ["latestRevision.content.write.objects[0].objectName", undefined],
      ],
    );
    assert.match(body.detail, /2 mistakes; the first: latestRevision\.specVersion: /);
  });

  test("is there as it was sent", async () => {
    assert.equal((await create({ proxy: { enabled: true } })).status, 201);
    const { body } = await busbar.inProject("GET", "/integrations/made");
    assert.deepEqual(body.latestRevision.content, {
      name: "made",
      provider: "hubspot",
      proxy: { enabled: true },
    });
  });
});
