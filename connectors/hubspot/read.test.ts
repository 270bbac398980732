/** HubSpot reads: the conformance suite. */
import { after } from "node:test";
import { openSandbox, buildSandboxAccount } from "../../connector-kit/testing/reading-fixture.ts";
import { testReading } from "../../connector-kit/testing/read-suite.ts";
import { fields } from "./fields.ts";
import { read } from "./read.ts";

const sandbox = await openSandbox();
after(() => sandbox.close());

testReading("hubspot", async () => {
  const account = buildSandboxAccount(sandbox, sandbox.hubspot, {
    objectName: "contacts",
    names: { text: "firstname", other: "jobtitle", unknown: "nothing_like_it" },
  });
  sandbox.hubspot.account.set({ associationPage: 10 });
  return {
    ...account,
    read,
    fields,
    association: "companies",
    async associate(id, count) {
      const create = () => sandbox.hubspot.account.put("companies", { values: { name: "x" }, stamp: true });
      const ids = Array.from({ length: count }, create);
      const inputs = ids.map((to) => ({ from: { id }, to: { id: to } }));
      const path = "/crm/v4/associations/contacts/companies/batch/associate/default";
      await account.fetch({ method: "POST", path, body: { inputs }, repeatable: true });
      return ids;
    },
    page: (records, isLast) => ({
      total: records.length,
      results: records,
      ...(!isLast && { paging: { next: { after: "NTAx" } } }),
    }),
  };
});
