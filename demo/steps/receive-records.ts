/** Step: receive the customer's records: the backfill, which began with the installation. */
import { setTimeout as sleep } from "node:timers/promises";
import { isVerified, type Received } from "../receiver.ts";
import { list, getMember, StepFailure, type Answer, type Step, type Tour } from "../step.ts";

export const receiveRecords: Step = {
  title: "Receive all people of the customer's HubSpot, under your field names",
  async run(deps) {
    const installation = `/integrations/people-hubspot/installations/${deps.recall("hubspotInstallationId")}`;
    const isOpen = ({ body }: Answer) => Number(getMember(body, "recordsProcessed")) < PEOPLE;
    await deps.poll(`${installation}/objects/person/backfill-progress`, isOpen, {
      shows: ["objectName", "recordsProcessed"],
      everyMs: POLL_MS,
      max: MAX_POLLS,
    });
    const messages = await awaitRecords(deps, "backfill", (records) => records.length >= PEOPLE);
    const [first] = messages;
    if (first) deps.say(`received: ${first.text.slice(0, 700)} …`);
    const key = deps.recall("signingKey");
    deps.check(
      `${PEOPLE} people arrived in a signed message; a receiver stores them by their id`,
      messages.every((message) => isVerified(message, key)),
    );
  },
};

/** Seeded contacts of the sandbox. */
const PEOPLE = 5;
const POLL_MS = 50;
const MAX_POLLS = 300;

/** Waits until the records of HubSpot in this run's messages are as wanted; returns the messages. */
export async function awaitRecords(
  { receiver, groupRef }: Pick<Tour, "receiver" | "groupRef">,
  readType: string,
  isComplete: (records: ReturnType<typeof list>) => boolean,
): Promise<Received[]> {
  for (let looked = 0; looked < MAX_POLLS; looked += 1) {
    const found = receiver.received.filter(
      ({ body }) =>
        getMember(body, "readType") === readType &&
        getMember(body, "provider") === "hubspot" &&
        getMember(body, "groupRef") === groupRef,
    );
    if (isComplete(found.flatMap(({ body }) => list(body, "result")))) return found;
    await sleep(POLL_MS);
  }
  throw new StepFailure(`the records have not arrived in ${(MAX_POLLS * POLL_MS) / 1_000} s`);
}
