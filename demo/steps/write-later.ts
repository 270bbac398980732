/** Step: asynchronous writes are accepted at once, retried while the CRM is down, and collected into batches. */
import type { Json } from "../../server/ground/json.ts";
import { list, member, text, type Step, type Tour } from "../step.ts";

const later = (email: string, more: Record<string, Json> = {}): Record<string, Json> => ({
  type: "create",
  mode: "asynchronous",
  record: { email, givenName: "Later", familyName: "Patient" },
  ...more,
});

export const writeLater: Step = {
  title: "Write asynchronously: retried while the CRM is down, collected into one call",
  async run(on) {
    on.say("HubSpot is made to fail twice; the write is accepted all the same.");
    await on.sandbox("POST", "/faults", {
      body: { provider: "hubspot", method: "POST", path: "/objects/contacts", status: 503, count: 2 },
    });
    const accepted = await on.write("people-hubspot", "person", later("later@lovelace.example"));
    on.check("accepted with the id of its operation", accepted.status === 200);
    const operation = await ended(on, text(accepted.body, "operationId"));
    on.check("written in the end", member(operation, "status") === "success");
    on.check("after three attempts", member(operation, "metadata.retry.attempts") === 3);
    const id = text(operation, "metadata.successfulRecordIds.0");
    await on.recordInCrm({ provider: "hubspot", object: "contacts", id }, ["id", "email"]);
    on.check("the record lies in the CRM", true);
    await collected(on);
  },
};

async function collected(on: Tour): Promise<void> {
  const policy = { autoBatchPolicy: { maxDelayMinutes: 1 } };
  on.say("Three requests that may wait a minute (a second here) are collected.");
  await on.sandbox("DELETE", "/requests");
  const operationIds = new Set<string>();
  for (const name of ["a", "b", "c"]) {
    const { body } = await on.write("people-hubspot", "person", later(`${name}@collected.example`, policy));
    operationIds.add(text(body, "operationId"));
  }
  on.check("all three have the operation of their group", operationIds.size === 1);
  const operation = await ended(on, [...operationIds][0] ?? "");
  on.check("three records written", list(operation, "metadata.successfulRecordIds").length === 3);
  const { body } = await on.sandbox("GET", "/requests?provider=hubspot&method=POST", {
    shows: ["requests.*.method", "requests.*.path", "requests.*.status"],
  });
  on.check("with one call to HubSpot", list(body, "requests").length === 1);
}

const POLL_MS = 100;
const MOST_POLLS = 300;

/** Asks for the operation until it has ended; the last answer is printed. */
async function ended(on: Tour, operationId: string): Promise<Json> {
  const shows = ["id", "status", "result", "metadata.successfulRecordIds", "metadata.retry.attempts"];
  const isOpen = ({ body }: { body: Json }) => member(body, "status") === "in_progress";
  return (await on.poll(`/operations/${operationId}`, isOpen, { shows, everyMs: POLL_MS, most: MOST_POLLS }))
    .body;
}
