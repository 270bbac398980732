/** Step: call the providers' APIs through the proxy, which adds the customer's credentials. */
import { list, getMember, type Step } from "../step.ts";

export const proxyCalls: Step = {
  title: "Call the CRMs' own APIs through the proxy",
  async run(deps) {
    const soql = "SELECT Id, Name, Title FROM Contact WHERE LastName = 'Lovelace'";
    const query = await deps.proxy(
      "people-salesforce",
      "GET",
      `/services/data/v60.0/query?q=${encodeURIComponent(soql).replaceAll("%20", "+")}`,
      { shows: ["totalSize", "records.*.Id", "records.*.Name", "records.*.Title"] },
    );
    deps.check(
      "SOQL finds the contact written above",
      getMember(query.body, "records.0.Id") === deps.recall("salesforcePersonId"),
    );

    const search = await deps.proxy("people-hubspot", "POST", "/crm/objects/2026-03/contacts/search", {
      body: {
        filterGroups: [{ filters: [{ propertyName: "lastname", operator: "EQ", value: "Lovelace" }] }],
        properties: ["firstname", "email"],
      },
      shows: ["total", "results.*.id", "results.*.properties.firstname", "results.*.properties.email"],
    });
    deps.check(
      "HubSpot's search finds it too",
      list(search.body, "results").some((found) => getMember(found, "id") === deps.recall("hubspotPersonId")),
    );
  },
};
