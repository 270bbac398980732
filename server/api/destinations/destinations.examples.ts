/** Calls the operations of destinations. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call, facts, sink }) {
    const metadata = { url: `${sink.url}/hook`, headers: { "X-Tenant": "acme" } };
    const hook = await call("createDestination", { body: { name: "hook", type: "webhook", metadata } });
    facts.destinationId = hook.id;
    const spare = await call("createDestination", { body: { name: "spare", type: "log", metadata: {} } });
    await call("getDestination", { path: { destination: "hook" }, query: { includeSecrets: "true" } });
    await call("rotateDestination", { path: { destination: "hook" } });
    const renamed = { updateMask: ["name"], destination: { name: "unused" } };
    await call("updateDestination", { path: { destination: spare.id }, body: renamed });
    await call("deleteDestination", { path: { destination: "unused" } });
    const trial = { eventType: "installation.created" };
    await call("testDestination", { path: { destination: "hook" }, body: trial });
  },
};
