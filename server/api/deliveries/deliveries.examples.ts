/** Calls the operations of deliveries, once the events of the examples have been delivered. */
import { until } from "../../../tests/harness/until.ts";
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["topic-routes", "installations"],
  async run({ call, facts, busbar, sink }) {
    const path = { destination: "hook" };
    await until(() => sink.at("/hook").length > 1);
    const listed = () => busbar.inProject("GET", "/destinations/hook/deliveries?status=delivered");
    const [{ id: deliveryId, eventTime }] = await until(async () => {
      const { results } = (await listed()).body;
      return results.length > 0 ? results : undefined;
    });
    facts.deliveryId = deliveryId;
    await call("listDeliveries", { path, query: { status: "delivered" } });
    await call("listProjectDeliveries", { query: { destination: "hook", pageSize: "1" } });
    const { data } = await call("getDelivery", { path: { ...path, deliveryId } });
    facts.eventMember = "config" in data ? "config" : (Object.keys(data)[0] ?? "");
    await call("resendDelivery", { path: { ...path, deliveryId } });
    await call("resendDeliveries", { path, body: { since: eventTime, status: "all" } });
    const dryRun = { ids: [deliveryId], status: "all", dryRun: true };
    await call("resendDeliveries", { title: "count first", path, body: dryRun });
  },
};
