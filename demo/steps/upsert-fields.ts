/** Step: create a custom field in the CRM; repeating it changes nothing. */
import type { Json } from "../../ground/json.ts";
import { getMember, type Step } from "../step.ts";

const PLAN: Json = {
  fieldName: "plan",
  displayName: "Plan",
  valueType: "singleSelect",
  stringOptions: { values: ["free", "team"], valuesRestricted: true },
};

export const upsertFields: Step = {
  title: "Create a custom field in HubSpot",
  async run(deps) {
    const body = { groupRef: deps.groupRef, fields: { contacts: [PLAN] } };
    const shows = ["success", "fields.contacts.plan.action", "fields.contacts.plan.metadata.type"];
    const path = "/providers/hubspot/object-metadata";
    const first = await deps.api("PUT", path, { body, shows });
    deps.check("the field was created", getMember(first.body, "fields.contacts.plan.action") === "create");
    const again = await deps.api("PUT", path, { body, shows });
    deps.check(
      "the same request again changes nothing",
      getMember(again.body, "fields.contacts.plan.action") === "none",
    );
  },
};
