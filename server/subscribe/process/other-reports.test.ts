/** One HubSpot account reports its changes by the journal and by pushes together. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { openTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../../tests/harness/deliveries/routes.ts";
import { openSink } from "../../../tests/harness/deliveries/sink.ts";
import { until } from "../../../tests/harness/until.ts";
import { openSubscriptions } from "../../../tests/harness/subscriptions.ts";
import type { InboxEvent } from "./group-events.ts";
import { splitOtherReports } from "./other-reports.ts";
import { subscribedContacts } from "../../../tests/fixtures/subscribed-fixture.ts";

const SECRET = "the-apps-secret";
const manifest = subscribedContacts(
  "createEvent: { enabled: always }",
  "updateEvent: { enabled: always, requiredWatchFields: [email, phone] }",
  "deleteEvent: { enabled: always }",
  "associationChangeEvent: { enabled: always }",
  "otherEvents: [contact.merge]",
);

/** Delays in milliseconds: the later way reports when the change of the earlier one is delivered. */
async function open(
  t: TestContext,
  { window, journalMs, pushMs }: Record<"window" | "journalMs" | "pushMs", number>,
) {
  const sink = await openSink();
  t.after(() => sink.close());
  const busbar = await openTestBusbar({
    env: {
      BUSBAR_SUBSCRIBE_COALESCE_SECONDS: String(window),
      BUSBAR_SUBSCRIBE_POLL_SECONDS: "1",
      BUSBAR_RETRY_BASE_SECONDS: "0.1",
    },
  });
  t.after(() => busbar.stop());
  const { hubspot } = busbar.sandbox;
  hubspot.setLimits("off");
  const { journal, webhooks, account } = hubspot;
  journal.settings = { ...journal.settings, granted: true, batchDelayMs: journalMs };
  await busbar.inProject("POST", "/provider-apps", {
    provider: "hubspot",
    clientId: "app",
    clientSecret: SECRET,
    scopes: ["oauth", "crm.objects.contacts.read"],
  });
  await addWebhook(busbar, "changes", `${sink.url}/changes`);
  const customer = await connectCustomer(busbar, { provider: "hubspot", manifest, integration: "crm" });
  const targetUrl = `${new URL(busbar.server.urls.base).origin}/subscribe/v1/projects/default/integrations/crm`;
  webhooks.set({ targetUrl, clientSecret: SECRET, batchDelayMs: pushMs });
  const { subscription, lines, entries } = openSubscriptions(() => ({ busbar, sink, customer }));
  await until(async () => (await subscription())?.state === "active");
  assert.equal((await subscription()).source, "journal");
  return {
    account,
    lines,
    put: (values: Record<string, string>, id?: string): string =>
      account.put("contacts", { ...(id !== undefined && { id }), values, stamp: true }),
    entries,
    /** Until both ways have reported, and every event of the record has its outcome. */
    untilEnded: (id: string, pushed: number, fromJournal: number): Promise<unknown> =>
      until(async () => {
        const all = await lines(id);
        return all.length === pushed + fromJournal && all.every(({ endTime }) => endTime !== undefined);
      }),
  };
}

const ORDERS = {
  "the journal comes first": { window: 0, journalMs: 20, pushMs: 2_500 },
  // Late enough to come behind both pushes of one change, which are two requests.
  "the push comes first": { window: 0, journalMs: 2_500, pushMs: 0 },
  "both come within the window of coalescing": { window: 1.5, journalMs: 0, pushMs: 300 },
};
for (const [name, delays] of Object.entries(ORDERS)) {
  test(`a change that HubSpot reports by journal and push is delivered once: ${name}`, async (t) => {
    const { account, put, entries, untilEnded } = await open(t, delays);
    const kinds = (id: string): string[] => entries(id).map((entry) => entry.subscribeEventType);
    const id = put({ email: "twice@x.example", phone: "1" });
    await untilEnded(id, 4, 1);
    await until(() => entries(id).length > 0);
    assert.equal(kinds(id).filter((kind) => kind === "create").length, 1);
    // Without a window, the properties of a creation are pushed as changes, and may arrive late: they have the first telephone number.
    const updatedFields = (): string[] =>
      entries(id)
        .filter((entry) => entry.subscribeEventType === "update" && entry.fields.phone === "2")
        .flatMap((entry) => entry.fieldsUpdated)
        .toSorted();

    // The journal makes one event of two properties.
    put({ phone: "2", email: "both@x.example" }, id);
    await untilEnded(id, 6, 2);
    await until(() => updatedFields().length >= 2);
    assert.deepEqual(updatedFields(), ["email", "phone"]);

    account.merge("contacts", id, [put({ email: "loser@x.example" })]);
    await until(() => kinds(id).includes("other"));
    account.archive("contacts", id);
    await untilEnded(id, 9, 4);
    await until(() => kinds(id).includes("delete"));
    const ends = kinds(id).filter((kind) => kind !== "create" && kind !== "update");
    assert.deepEqual(ends, ["other", "delete"]);
    assert.deepEqual(updatedFields(), ["email", "phone"], "nor later");
  });
}

test("changes of one field in quick succession all arrive, although each is reported twice", async (t) => {
  const { put, entries, untilEnded } = await open(t, { window: 0, journalMs: 20, pushMs: 300 });
  const id = put({ email: "often@x.example", phone: "0" });
  await untilEnded(id, 4, 1);
  for (let number = 1; number <= 5; number++) {
    put({ phone: `${number}` }, id);
    await until(() => entries(id).some(({ fields }) => fields.phone === `${number}`));
  }
  await until(() => entries(id).at(-1).fields.phone === "5");
});

test("only another way, the same change and about the same time make a repeat", () => {
  const event = (way: string, seconds: number, changes: string[], includes?: string[]): InboxEvent => ({
    id: `${way} ${seconds}`,
    objectKey: "0-1",
    recordId: "501",
    type: "update",
    providerEventType: "object.propertyChange",
    time: new Date(Date.UTC(2026, 8, 14) + seconds * 1_000),
    raw: "",
    report: { way, changes, ...(includes && { includes }) },
  });
  const isRepeat = (one: InboxEvent, ...earlier: InboxEvent[]): boolean =>
    splitOtherReports([one], earlier).repeats.length > 0;
  const pushed = event("push", 0, ["property email"]);
  assert.ok(isRepeat(pushed, event("journal", 1, ["property phone", "property email"])));
  assert.ok(isRepeat(pushed, event("journal", -1, ["creation"], ["property email"])));
  assert.ok(!isRepeat(pushed, event("push", 1, ["property email"])));
  assert.ok(!isRepeat(pushed, event("journal", 6, ["property email"])));
  assert.ok(!isRepeat(pushed, event("journal", 0, ["property phone"])));
  assert.ok(!isRepeat(pushed, { ...event("journal", 0, ["property email"]), recordId: "502" }));
  assert.ok(!isRepeat(event("journal", 0, ["property email", "property phone"]), pushed));
  const { report: _none, ...unnamed } = pushed;
  assert.ok(!isRepeat(unnamed, event("journal", 0, ["property email"])));
  const inJournal = event("journal", 1, ["property email"]);
  const others = [event("push", 2, ["creation"]), event("push", 3, ["property stage"])];
  const created = event("journal", 1, ["creation"], ["property email"]);
  assert.deepEqual(splitOtherReports([created, ...others], []), {
    fresh: [created, others[1]],
    repeats: [others[0]],
  });
  assert.deepEqual(splitOtherReports([inJournal, pushed], []), { fresh: [pushed], repeats: [inJournal] });
});
