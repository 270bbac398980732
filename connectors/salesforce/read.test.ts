/** Salesforce reads: the conformance suite. */
import { after } from "node:test";
import { openSandbox, buildSandboxAccount } from "../../connector-kit/testing/reading-fixture.ts";
import { testReading } from "../../connector-kit/testing/read-suite.ts";
import { fields } from "./fields.ts";
import { read } from "./read.ts";

const sandbox = await openSandbox();
after(() => sandbox.close());

testReading("salesforce", async () => {
  const account = buildSandboxAccount(sandbox, sandbox.salesforce, {
    objectName: "Account",
    names: { text: "Name", other: "AccountNumber", unknown: "Nothing_Like_It__c" },
  });
  sandbox.salesforce.account.set({ childPage: 10 });
  return {
    ...account,
    put: ({ values = {}, ...more }) =>
      account.put({ values: { ...(!more.id && { Name: "x" }), ...values }, ...more }),
    read,
    fields,
    association: "Contacts",
    async associate(id, count) {
      const contact = { values: { LastName: "x", AccountId: id }, stamp: true };
      return Array.from({ length: count }, () => sandbox.salesforce.account.put("Contact", contact));
    },
    page: (records, isLast) => ({
      totalSize: records.length,
      done: isLast,
      records,
      ...(!isLast && { nextRecordsUrl: "/services/data/v60.0/query/0r8Sb0000000000001-2000" }),
    }),
  };
});
