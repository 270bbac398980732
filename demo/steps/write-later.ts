/** Step: asynchronous writes: accepted at once, retried while the CRM is down, auto-batched. */
import type { Json } from "../../ground/json.ts";
import { list, getMember, getText, type Step, type Tour } from "../step.ts";

const buildLateWrite = (email: string, more: Record<string, Json> = {}): Record<string, Json> => ({
  type: "create",
  mode: "asynchronous",
  record: { email, givenName: "Later", familyName: "Patient" },
  ...more,
});

export const writeLater: Step = {
  title: "Write asynchronously: retries while the CRM is down, auto-batching",
  async run(deps) {
    deps.say("HubSpot will ask twice to come back later; the write is accepted nevertheless.");
    // Without the header it would not be known whether the record was created, and it would not be sent again.
    const busy = { status: 503, headers: { "retry-after": "0" }, count: 2 };
    await deps.sandbox("POST", "/faults", {
      body: { provider: "hubspot", method: "POST", path: "/objects/contacts$", ...busy },
    });
    const accepted = await deps.write("people-hubspot", "person", buildLateWrite("later@lovelace.example"));
    deps.check("accepted with the id of its operation", accepted.status === 200);
    const operation = await waitUntilEnded(deps, getText(accepted.body, "operationId"));
    deps.check("written", getMember(operation, "status") === "success");
    deps.check("after three attempts", getMember(operation, "metadata.retry.attempts") === 3);
    const id = getText(operation, "metadata.successfulRecordIds.0");
    await deps.recordInCrm({ provider: "hubspot", object: "contacts", id }, ["id", "email"]);
    deps.check("the record is in the CRM", true);
    await showCollected(deps);
  },
};

async function showCollected(deps: Tour): Promise<void> {
  const policy = { autoBatchPolicy: { maxDelayMinutes: 1 } };
  deps.say("Three requests that may wait a minute (here: a second) are auto-batched.");
  await deps.sandbox("DELETE", "/requests");
  const operationIds = new Set<string>();
  for (const name of ["a", "b", "c"]) {
    const { body } = await deps.write(
      "people-hubspot",
      "person",
      buildLateWrite(`${name}@collected.example`, policy),
    );
    operationIds.add(getText(body, "operationId"));
  }
  deps.check("all three belong to one operation", operationIds.size === 1);
  const operation = await waitUntilEnded(deps, [...operationIds][0] ?? "");
  deps.check("three records written", list(operation, "metadata.successfulRecordIds").length === 3);
  const { body } = await deps.sandbox("GET", "/requests?provider=hubspot&method=POST&path=/batch/create", {
    shows: ["requests.*.method", "requests.*.path", "requests.*.status"],
  });
  deps.check("with one call to HubSpot", list(body, "requests").length === 1);
}

const POLL_MS = 100;
const MAX_POLLS = 300;

/** Polls the operation until it has ended; prints the last answer. */
async function waitUntilEnded(deps: Tour, operationId: string): Promise<Json> {
  const shows = ["id", "status", "result", "metadata.successfulRecordIds", "metadata.retry.attempts"];
  const isOpen = ({ body }: { body: Json }) => getMember(body, "status") === "in_progress";
  return (await deps.poll(`/operations/${operationId}`, isOpen, { shows, everyMs: POLL_MS, max: MAX_POLLS }))
    .body;
}
