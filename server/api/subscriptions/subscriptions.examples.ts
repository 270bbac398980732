/** Calls the operations of subscriptions, and pushes events as the provider does. */
import { signedPush } from "../../../tests/harness/signed-push.ts";
import { until } from "../../../tests/harness/until.ts";
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

const SECRET = "secret of the pushing app";

export const examples: ResourceExamples = {
  after: ["installations", "destinations", "provider-apps"],
  async run({ call, facts, busbar }) {
    const app = { provider: "hubspot", clientId: "pushing", clientSecret: SECRET, scopes: ["oauth"] };
    const { body: created } = await busbar.inProject("POST", "/provider-apps", app);
    const path = { integrationId: "crm", installationId: facts.installationId };
    await until(async () => {
      const [{ state }] = await call("listSubscriptions", { path });
      return state === "active" || state === "degraded";
    }, 15_000);
    const body = JSON.stringify([
      {
        eventId: 1,
        subscriptionId: 2,
        portalId: 4100410,
        occurredAt: Date.now(),
        subscriptionType: "contact.deletion",
        attemptNumber: 0,
        objectId: 501,
      },
    ]);
    const origin = new URL(busbar.server.urls.base).origin;
    const push = (place: string) =>
      signedPush(`${origin}/subscribe/v1/projects/default/${place}`, body, SECRET);
    const integration = { integrationIdOrName: "crm" };
    /** A busy database is answered with 503, and a provider then sends the push again. */
    const pushed = async (...asked: Parameters<typeof call>): Promise<void> => {
      for (let attempt = 1; ; attempt++) {
        try {
          return void (await call(...asked));
        } catch (error) {
          if (attempt === 5 || !String(error).includes("503")) throw error;
        }
      }
    };
    await pushed("receiveEvents", { path: integration, ...push("integrations/crm") });
    await pushed("receiveEventsOfInstallation", {
      path: { ...integration, installationId: facts.installationId },
      ...push(`integrations/crm/installations/${facts.installationId}`),
    });
    await pushed("receiveEventsOfProvider", { path: { provider: "hubspot" }, ...push("providers/hubspot") });
    await call("testSubscription", { path, body: { objectName: "contacts", eventType: "update" } });
    await call("reconcileSubscriptions", { path, body: { since: "2026-09-14T08:00:00Z" } });
    await call("listSubscriptionEvents", { path, query: { recordId: "501" } });
    await busbar.inProject("DELETE", `/provider-apps/${created.id}`);
  },
};
