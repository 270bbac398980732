/** Step: a change in the CRM arrives; pause and resume; read on request; search. */
import { getMember, getText, type Answer, type Step, type Tour } from "../step.ts";
import { awaitRecords } from "./receive-records.ts";

const POLL_MS = 50;
const MAX_POLLS = 300;

export const receiveChanges: Step = {
  title: "A change in the CRM arrives; read on request; search",
  async run(deps) {
    await changeWhilePaused(deps);
    await readNow(deps);
    const { body } = await deps.api("POST", `/integrations/people-hubspot?groupRef=${deps.groupRef}`, {
      of: "search",
      body: {
        objectName: "person",
        fieldFilters: [{ fieldName: "familyName", operator: "eq", value: "Lovelace" }],
      },
      shows: ["results.*.id", "results.*.mappedFields"],
    });
    deps.check(
      "a search finds her by your field name",
      getMember(body, "results.0.id") === deps.recall("hubspotPersonId"),
    );
  },
};

/** The schedule is every 30 minutes, here seconds; resuming reads at once. */
async function changeWhilePaused(deps: Tour): Promise<void> {
  const id = deps.recall("hubspotPersonId");
  const reads = `/integrations/people-hubspot/installations/${deps.recall("hubspotInstallationId")}`;
  const paused = await deps.api("POST", `${reads}:pause`, { of: "read", body: { note: "demo" } });
  deps.check("scheduled reads are paused", paused.status === 204);
  deps.say("The customer changes the person in HubSpot.");
  await deps.sandbox("POST", "/records", {
    body: {
      provider: "hubspot",
      object: "contacts",
      records: [{ id, values: { jobtitle: "Countess" }, stamp: true }],
    },
  });
  await deps.api("POST", `${reads}:unpause`, { of: "read" });
  await awaitRecords(deps, "scheduled", (records) =>
    records.some((one) => getMember(one, "id") === id && getMember(one, "mappedFields.notes") === "Countess"),
  );
  deps.check("resumed: the change has arrived, under your field name notes", true);
}

async function readNow(deps: Tour): Promise<void> {
  const { body } = await deps.api("POST", "/integrations/people-hubspot/objects/person", {
    of: "read",
    body: { groupRef: deps.groupRef, mode: "async" },
  });
  const isOpen = (answer: Answer) => getMember(answer.body, "status") === "in_progress";
  const operation = await deps.poll(`/operations/${getText(body, "operationId")}`, isOpen, {
    shows: ["status", "result", "metadata.progress", "metadata.read.readType"],
    everyMs: POLL_MS,
    max: MAX_POLLS,
  });
  const count = Number(getMember(operation.body, "metadata.progress.recordsProcessed"));
  await awaitRecords(deps, "triggered", (records) => records.length === count);
  deps.check(`read on request: all ${count} people have arrived`, count > 0);
}
