/** Step: the same request bodies, sent to Salesforce. */
import { getMember, getText, type Step } from "../step.ts";

export const writeSalesforce: Step = {
  title: "The same in Salesforce, with the same field names",
  async run(deps) {
    const created = await deps.write("people-salesforce", "person", {
      type: "create",
      record: { email: "ada@lovelace.example", givenName: "Ada", familyName: "Lovelace", notes: "Analyst" },
    });
    deps.check("created", created.status === 200);
    const id = getText(created.body, "result.recordId");
    deps.remember("salesforcePersonId", id);

    const updated = await deps.write("people-salesforce", "person", {
      type: "update",
      record: { id, givenName: "Augusta Ada" },
    });
    deps.check("updated", getMember(updated.body, "result.data.FirstName") === "Augusta Ada");
    const record = await deps.recordInCrm({ provider: "salesforce", object: "Contact", id }, [
      "Id",
      "Email",
      "FirstName",
      "LastName",
      "Title",
    ]);
    deps.check(
      `Salesforce contact ${id} is in the CRM: FirstName Augusta Ada, Title Analyst (mapped from notes)`,
      getMember(record, "FirstName") === "Augusta Ada" && getMember(record, "Title") === "Analyst",
    );
  },
};
