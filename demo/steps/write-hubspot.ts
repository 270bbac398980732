/** Step: create and update a record in HubSpot with the application's field names, then read it from the CRM. */
import { getMember, getText, type Step } from "../step.ts";

export const writeHubSpot: Step = {
  title: "Create and update a person in HubSpot",
  async run(deps) {
    const created = await deps.write(
      "people-hubspot",
      "person",
      {
        type: "create",
        record: { email: "ada@lovelace.example", givenName: "Ada", familyName: "Lovelace", notes: "Analyst" },
      },
      { shows: ["operationId", "result.success", "result.recordId", "result.data.properties.email"] },
    );
    deps.check("created", created.status === 200);
    const id = getText(created.body, "result.recordId");
    deps.remember("hubspotPersonId", id);
    deps.remember("operationId", getText(created.body, "operationId"));

    const updated = await deps.write(
      "people-hubspot",
      "person",
      {
        type: "update",
        record: { id, givenName: "Augusta Ada" },
      },
      { shows: ["operationId", "result.success", "result.data.properties.firstname"] },
    );
    deps.check(
      "updated; the answer contains the new record",
      getMember(updated.body, "result.data.properties.firstname") === "Augusta Ada",
    );
    const record = await deps.recordInCrm({ provider: "hubspot", object: "contacts", id }, [
      "id",
      "email",
      "firstname",
      "lastname",
      "jobtitle",
    ]);
    deps.check(
      `HubSpot contact ${id} is in the CRM: firstname Augusta Ada, jobtitle Analyst (mapped from notes)`,
      getMember(record, "firstname") === "Augusta Ada" && getMember(record, "jobtitle") === "Analyst",
    );
  },
};
