/** Job 3: after an outage, what failed is counted and sent again; each attempt shows what was sent. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { recordEvents } from "../../../server/events/record-event.ts";
import { sampleEvent } from "../../../server/events/sample-event.ts";
import { createLog } from "../../../ground/log.ts";
import { openDatabase } from "../../../server/store/database/open-database.ts";
import { openSink, type Sink } from "../../harness/deliveries/sink.ts";
import { until } from "../../harness/until.ts";
import type { Suite } from "../run-suites.ts";
import type { Dashboard } from "../open-dashboard.ts";

const FAILURES = 50;
const TYPE = "connection.updated";

export const suite: Suite = (server) => {
  let sink: Sink | undefined;
  after(() => sink?.close());

  test("after an outage the overview names the destination, its window is proposed, and as many are resent as were counted, with their ids", async () => {
    const { busbar } = server();
    sink = await openSink();
    sink.answer = (_received, response) => void response.writeHead(503).end("maintenance");
    await fail(server(), sink.url);
    const failed = () => sink?.idsAt("/outage") ?? new Set();
    const before = new Set(failed());
    assert.equal(before.size, FAILURES);
    sink.answer = (_received, response) => void response.writeHead(200).end("thanks");

    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default");
    await page.getByRole("link", { name: /^outage fails since \d\d:\d\d \w+: / }).click();
    await page.getByRole("heading", { name: "outage", exact: true }).waitFor();
    await page.getByRole("button", { name: "Resend a range" }).click();
    const dialog = page.getByRole("dialog");
    const { body } = await busbar.inProject("GET", "/destinations/outage");
    const proposed = Date.parse(await dialog.getByLabel("Since").inputValue());
    assert.ok(proposed <= Date.parse(body.health.failingSince), body.health.failingSince);
    await dialog.getByText(`${FAILURES} undelivered deliveries will be sent now`).waitFor();
    const answered = page.waitForResponse(
      (response) =>
        response.url().endsWith("deliveries:resend") && !/dryRun/.test(response.request().postData() ?? ""),
    );
    await dialog.getByRole("button", { name: "Resend", exact: true }).click();
    assert.deepEqual(await (await answered).json(), { count: FAILURES });
    await page.getByText(`${FAILURES} deliveries are sent again.`).waitFor();
    await page.getByRole("table", { name: "Deliveries" }).getByText("delivered").first().waitFor();
    await until(async () => (await busbar.inProject("GET", "/destinations/outage")).body.health.failed === 0);
    assert.deepEqual(new Set(failed()), before);
    await page.getByRole("button", { name: "Resend a range" }).click();
    await dialog.getByText("Nothing in this range is undelivered.").waitFor();
    await visit.closeUntroubled();
  });

  test("each attempt shows the request as it was sent, and a resend appears by itself", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/destinations/outage");
    await page.getByRole("table", { name: "Deliveries" }).getByRole("link").first().click();
    await page.waitForURL(/\/destinations\/outage\/deliveries\//);
    const first = page.getByRole("region", { name: "Request of attempt 1", exact: true });
    await first.getByText("webhook-signature: v1,").waitFor();
    const shown = (await first.textContent()) ?? "";
    const id = page.url().split("/").at(-1);
    const received = sink?.received.find(({ headers }) => headers["webhook-id"] === id);
    assert.ok(received && shown.includes(received.body), shown);
    assert.match(shown, /^POST http:\/\/127\.0\.0\.1:\d+\/outage/);
    await page.getByText("maintenance").first().waitFor();
    const attempts = page.getByRole("heading", { name: /^Attempt \d+$/ });
    const count = await attempts.count();
    await page.getByRole("button", { name: "Resend", exact: true }).click();
    await page.getByRole("heading", { name: `Attempt ${count + 1}`, exact: true }).waitFor();
    await visit.closeUntroubled();
  });

  test("chosen rows are sent again; settings, numbers and the signing key are in tabs", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/destinations/outage");
    const boxes = page.getByRole("checkbox", { name: /^Choose delivery/ });
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.getByRole("button", { name: "Resend 2 chosen" }).click();
    await page.getByText("2 sent again.").waitFor();
    await page.getByRole("tab", { name: "Numbers" }).click();
    await page.getByRole("img", { name: /^Deliveries over time: bars/ }).waitFor();
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByLabel("Name", { exact: true }).fill("outage-2");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "outage-2", exact: true }).waitFor();
    // A call by the old name may have been under way.
    visit.forgive();
    await page.getByRole("tab", { name: "Verify" }).click();
    await page.getByRole("button", { name: "Reveal for 30 s" }).click();
    await page
      .getByRole("region", { name: "Signing key" })
      .getByText(/^whsec_/)
      .waitFor();
    await visit.closeUntroubled();
  });
};

/** Makes a destination that fails, and events until so many deliveries have failed for good. */
async function fail({ busbar: server }: Dashboard, url: string): Promise<void> {
  const made = async (path: string, body: object) => {
    const answer = await server.inProject("POST", path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const destination = { name: "outage", type: "webhook", metadata: { url: `${url}/outage` } };
  const destinationId = await made("/destinations", destination);
  await made("/topics", { name: "outage", eventTypes: [TYPE], destinationIds: [destinationId] });
  const database = await openDatabase({
    connectionString: server.connectionString,
    log: createLog("silent"),
    poolSize: 1,
  });
  await database.queries.transaction().execute((queries) =>
    recordEvents(
      queries,
      Array.from({ length: FAILURES }, () => sampleEvent(TYPE, server.projectId)),
    ),
  );
  await database.close();
  await until(
    async () => (await server.inProject("GET", "/destinations/outage")).body.health.failed === FAILURES,
  );
}
