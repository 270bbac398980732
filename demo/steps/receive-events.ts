/** Step: receive signed events by webhook; a refused message is sent again. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../../ground/json.ts";
import { isVerified, type Received } from "../receiver.ts";
import { list, getMember, StepFailure, type Answer, type Step, type Tour } from "../step.ts";

export const receiveEvents: Step = {
  title: "Receive signed events; a refused one is sent again",
  async run(deps) {
    const key = deps.recall("signingKey");
    for (const [type, count] of [
      ["connection.created", 2],
      ["installation.created", 3],
      ["write.async.done", 2],
    ] as const) {
      const messages = await waitForArrival(deps, type, count);
      for (const message of messages.slice(-1)) deps.say(`received: ${message.text.slice(0, 300)} …`);
      deps.check(
        `${count} of ${type}, each with a valid signature`,
        messages.length === count && messages.every((message) => isVerified(message, key)),
      );
    }
    const [first] = deps.receiver.received;
    if (first)
      deps.check(
        "with a wrong key the signature is not valid",
        !isVerified(first, `whsec_${"A".repeat(32)}`),
      );
    await showRefusedOnce(deps);
  },
};

async function showRefusedOnce(deps: Tour): Promise<void> {
  deps.say("The receiver answers 503 to the next message.");
  deps.receiver.refuseNext = "write.async.done";
  await deps.write("people-salesforce", "person", {
    type: "create",
    mode: "asynchronous",
    record: { familyName: "Twice" },
  });
  await waitForArrival(deps, "write.async.done", 3);
  const ofWrite = ({ body }: Answer): Json | undefined =>
    list(body, "results").find((one) => getMember(one, "eventType") === "write.async.done");
  const isOpen = (answer: Answer) => getMember(ofWrite(answer), "status") !== "delivered";
  const answer = await deps.poll("/destinations/people/deliveries?pageSize=5", isOpen, {
    shows: ["results.*.id", "results.*.eventType", "results.*.status", "results.*.attempts.*.status"],
    everyMs: POLL_MS,
    max: MAX_POLLS,
  });
  const statuses = list(ofWrite(answer), "attempts").map((attempt) => getMember(attempt, "status"));
  deps.check("delivered at the second attempt: 503, then 204", statuses.join() === "503,204");
}

const POLL_MS = 50;
const MAX_POLLS = 300;

/** Waits for enough messages of this run's customer and returns them. */
async function waitForArrival(deps: Tour, type: string, count: number): Promise<Received[]> {
  for (let asked = 0; asked < MAX_POLLS; asked += 1) {
    const found = deps.receiver.received.filter(
      ({ body }) =>
        getMember(body, "notificationType") === type && getMember(body, "data.groupRef") === deps.groupRef,
    );
    if (found.length >= count) return found;
    await sleep(POLL_MS);
  }
  throw new StepFailure(
    `${count} messages of ${type} have not arrived in ${(MAX_POLLS * POLL_MS) / 1_000} s`,
  );
}
