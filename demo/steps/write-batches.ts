/** Step: write batches, one with a bad record; results are in the order of the request. */
import type { Json } from "../../ground/json.ts";
import { list, getMember, getText, type Step } from "../step.ts";

const buildPerson = (givenName: string, email: string): { record: Record<string, Json> } => ({
  record: { givenName, familyName: "Batch", email },
});

export const writeBatches: Step = {
  title: "Write batches; a bad record does not affect the others",
  async run(deps) {
    const batch = [
      buildPerson("First", "first@batch.example"),
      buildPerson("Second", "this is no address"),
      buildPerson("Third", "third@batch.example"),
    ];
    for (const [provider, object] of [
      ["hubspot", "contacts"],
      ["salesforce", "Contact"],
    ] as const) {
      const { status, body } = await deps.write(
        `people-${provider}`,
        "person",
        { type: "create", batch },
        {
          shows: [
            "operationId",
            "successCount",
            "failureCount",
            "results.*.success",
            "results.*.recordId",
            "errors",
          ],
        },
      );
      const successes = list(body, "results").map((result) => getMember(result, "success"));
      deps.check(
        "two written, one refused, in the order of the request",
        status === 200 && successes.join() === "true,false,true",
      );
      const record = await deps.recordInCrm({ provider, object, id: getText(body, "results.2.recordId") }, [
        "id",
        "Id",
        "email",
        "Email",
      ]);
      deps.check("the third record is in the CRM", /third@batch\.example/.test(JSON.stringify(record)));
    }
  },
};
