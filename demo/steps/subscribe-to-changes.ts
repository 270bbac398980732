/** Step: subscribe to the customer's Salesforce, and receive a change within a second, without a public address. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../../ground/json.ts";
import { isVerified, type Received } from "../receiver.ts";
import { list, getMember, StepFailure, getText, type Answer, type Step, type Tour } from "../step.ts";

const FILE = "docs/guide/examples/crm-changes.amp.yaml";
/** A seeded contact of the sandbox. */
const PERSON = "003Sb0000000001IAA";

export const subscribeToChanges: Step = {
  title: "Subscribe: a change in Salesforce arrives within a second, without a public address",
  async run(deps) {
    const sourceYaml = await readFile(join(import.meta.dirname, "../..", FILE), "utf8");
    const sent = `the text of ${FILE}`;
    await deps.api("PUT", "/integrations:batch", { body: { sourceYaml }, sent, shows: ["*.name"] });
    const integration = "/integrations/changes-salesforce";
    const installed = await deps.api("POST", `${integration}/installations`, {
      body: { groupRef: deps.groupRef, config: { content: { provider: "salesforce" } } },
      shows: ["id", "healthStatus"],
    });
    const isPending = ({ body }: Answer) => getMember(body, "0.state") !== "active";
    const subscriptions = `${integration}/installations/${getText(installed.body, "id")}/subscriptions`;
    await deps.poll(subscriptions, isPending, {
      shows: ["*.objectName", "*.source", "*.state", "*.watchFields"],
      everyMs: POLL_MS,
      max: MAX_POLLS,
    });
    deps.say("The customer changes a person in Salesforce.");
    const values = { Title: `Countess of ${deps.groupRef}` };
    await deps.sandbox("POST", "/records", {
      body: { provider: "salesforce", object: "Contact", records: [{ id: PERSON, values, stamp: true }] },
    });
    const message = await changeArrived(deps);
    deps.say(`received: ${message.text.slice(0, 900)} …`);
    const [entry] = list(message.body, "result");
    deps.check("the message is signed", isVerified(message, deps.recall("signingKey")));
    deps.check(
      "it has the record as it is now, under your field names, and what changed",
      getMember(entry, "mappedFields.title") === values.Title &&
        list(entry, "fieldsUpdated").includes("Title") &&
        getMember(entry, "providerEventType") === "UPDATE",
    );
  },
};

const POLL_MS = 50;
const MAX_POLLS = 300;

async function changeArrived({ receiver, groupRef }: Tour): Promise<Received> {
  for (let looked = 0; looked < MAX_POLLS; looked += 1) {
    const found = receiver.received.find(
      ({ body }) =>
        getMember(body, "action") === "subscribe" &&
        getMember(body, "groupRef") === groupRef &&
        isSubscribed(body),
    );
    if (found) return found;
    await sleep(POLL_MS);
  }
  throw new StepFailure(`the change has not arrived in ${(MAX_POLLS * POLL_MS) / 1_000} s`);
}

const isSubscribed = (message: Json): boolean =>
  list(message, "result").some((entry) => getMember(entry, "id") === PERSON);
