/** A walk through every operation of the API, on a Busbar of its own. */
import { openSink } from "../../harness/deliveries/sink.ts";
import { openTestBusbar } from "../../harness/busbar.ts";
import { startIssuer } from "../../harness/issuer.ts";
import { access, customer, deliveries, documents, events, integrations, type Ground } from "./stations.ts";
import { openWalk, type Heard } from "./walk.ts";

/** A provider with a scheme of its own, as somebody's catalog may have it. */
const BRIDGE = {
  authType: "custom",
  baseURL: "https://api.bridge.example",
  support: { proxy: true },
  customOpts: {
    inputs: [
      { name: "account", displayName: "Account" },
      { name: "secret", displayName: "Secret" },
    ],
    headers: [{ name: "X-Bridge", valueTemplate: "{{.account}}:{{.secret}}" }],
  },
};

/** Everything that was asked and answered. Throws at the first answer that is not what openapi.json promises. */
export async function walkEveryOperation(): Promise<Heard[]> {
  const sink = await openSink();
  const issuer = await startIssuer();
  const on = await openTestBusbar({ env: issuer.env, providers: { bridge: BRIDGE } });
  const withoutIssuer = await openTestBusbar();
  try {
    const walk = openWalk(on);
    const ground: Ground = { walk, sink, issuer, withoutIssuer };
    for (const station of [access, events, integrations, customer, deliveries, documents])
      await station(ground);
    return walk.heard;
  } finally {
    await withoutIssuer.stop();
    await on.stop();
    await issuer.close();
    await sink.close();
  }
}
