/** How long callers wait for a refresh, on a real database and a token endpoint that is told when to answer. */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { test } from "node:test";
import { openTestBusbar } from "../../tests/harness/busbar.ts";
import { listen } from "../../tests/harness/proxy/wire.ts";
import { refreshOnlyOnDemand } from "../../tests/harness/refresh-only-on-demand.ts";
import { until } from "../../tests/harness/until.ts";
import { buildCatalog } from "../../connectors/catalog.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { openRefreshSlots } from "../credentials/refresh/refresh-slots.ts";
import { openEgress } from "../egress/open-egress.ts";
import { createLog } from "../../ground/log.ts";
import { Sealer } from "../../ground/seal.ts";
import { openDatabase } from "../store/database/open-database.ts";
import { shareRefreshes } from "./shared-refreshes.ts";

test("a caller waits no longer than allowed, and the refresh serves those who come later", async (t) => {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    held.push(response);
  });
  t.after(() => void server.close().closeAllConnections());
  const url = `http://127.0.0.1:${await listen(server)}`;
  const slow = {
    authType: "oauth2",
    baseURL: url,
    support: { proxy: true },
    oauth2Opts: { grantType: "authorizationCode", authURL: `${url}/authorize`, tokenURL: `${url}/token` },
  };
  const busbar = await openTestBusbar({ providers: { slow } });
  t.after(() => busbar.stop());
  await refreshOnlyOnDemand(busbar.connectionString);
  await busbar.inProject("POST", "/provider-apps", { provider: "slow", clientId: "c", clientSecret: "s" });
  const { body } = await busbar.inProject("POST", "/connections:generate", {
    provider: "slow",
    groupRef: "acme",
    consumerRef: "ada",
    oauth2AuthorizationCode: {
      accessToken: { token: "old", expiresAt: "2020-01-01T00:00:00Z" },
      refreshToken: { token: "first" },
    },
  });
  const log = createLog("silent");
  const database = await openDatabase({ connectionString: busbar.connectionString, log });
  const egress = openEgress(["127.0.0.1"]);
  t.after(async () => {
    await egress.close();
    await database.close();
  });
  const refreshes = shareRefreshes(
    {
      database,
      egress,
      log,
      sealer: new Sealer([{ id: "test", secret: Buffer.alloc(32, 7) }]),
      catalog: buildCatalog({ providers: { slow } }),
      identity: { id: 1, findDead: async () => [] },
      slots: openRefreshSlots({ max: 2, maxPerProvider: 2 }),
    },
    (row) => row.id,
    // Long enough for the later caller on a busy machine.
    8_000,
  );
  const connection = { id: body.id, projectId: busbar.projectId, provider: "slow" };
  await assert.rejects(refreshes.refresh(connection, "old"), (error) => {
    assert.ok(error instanceof ProviderError);
    assert.equal(error.kind, "unavailable");
    return true;
  });
  const later = refreshes.refresh(connection, "old");
  await until(() => held.length === 1);
  held[0]?.writeHead(200).end(JSON.stringify({ access_token: "new", expires_in: 3_600 }));
  assert.equal(await later, body.id);
  assert.equal(held.length, 1, "one refresh for both callers");
});
