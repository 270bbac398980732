/** Calls every operation of the API, on a Busbar of its own. */
import { openSink } from "../../harness/deliveries/sink.ts";
import { openTestBusbar } from "../../harness/busbar.ts";
import { startIssuer } from "../../harness/issuer.ts";
import { findExamples } from "./find-examples.ts";
import { callOthers, openRecording, type RecordedCall } from "./recording.ts";

/** A provider with a custom authentication scheme. */
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

/** The same with a page of the provider's on the way. */
const FOOTBRIDGE = {
  ...BRIDGE,
  customOpts: {
    ...BRIDGE.customOpts,
    multiStep: true,
    connectSteps: [{ redirect: { url: "https://bridge.example/consent", take: { code: "code" } } }],
  },
};

/** Returns all requests and answers. Throws at the first answer that differs from openapi.json. */
export async function recordEveryOperation(): Promise<RecordedCall[]> {
  const sink = await openSink();
  const issuer = await startIssuer();
  const busbar = await openTestBusbar({
    env: issuer.env,
    providers: { bridge: BRIDGE, footbridge: FOOTBRIDGE },
  });
  const withoutIssuer = await openTestBusbar();
  try {
    const ada = await issuer.sign({ sub: "ada", email: "ada@acme.example", name: "Ada Lovelace" });
    const bob = await issuer.sign({ sub: "bob", email: "bob@elsewhere.example", name: "Bob" });
    const recording = openRecording(busbar, { sink, ada, bob, withoutIssuer, issuer });
    const resources = await findExamples();
    for (const { run } of resources) await run(recording);
    await callOthers(recording);
    for (const { end } of resources.toReversed()) await end?.(recording);
    return recording.calls;
  } finally {
    await withoutIssuer.stop();
    await busbar.stop();
    await issuer.close();
    await sink.close();
  }
}
