/** Step: a request repeated with its Idempotency-Key is executed once; a dry run sends nothing. */
import { list, getMember, getText, type Step } from "../step.ts";

export const writeOnce: Step = {
  title: "Repeat a request safely; dry run",
  async run(deps) {
    const company = { type: "create", record: { name: "Once Ltd" } };
    const headers = { "idempotency-key": `order-4711-${deps.groupRef}` };
    const shows = ["operationId", "result.success", "result.recordId"];
    const first = await deps.write("accounts-hubspot", "companies", company, { headers, shows });
    const again = await deps.write("accounts-hubspot", "companies", company, { headers, shows });
    deps.check(
      "the same key, the same answer, one company",
      getText(first.body, "result.recordId") === getText(again.body, "result.recordId"),
    );
    const other = { type: "create", record: { name: "Another Ltd" } };
    const reused = await deps.write("accounts-hubspot", "companies", other, {
      headers,
      shows: ["title", "status", "detail"],
    });
    deps.check("the same key with another request is refused: 422", reused.status === 422);

    const dry = await deps.write(
      "people-salesforce",
      "person",
      { type: "create", record: { givenName: "Grace", familyName: "Hopper", notes: "Admiral" } },
      { query: "?dryRun=true", shows: ["dryRun", "requests", "records.*.fields", "records.*.withheld"] },
    );
    deps.check(
      "a dry run shows the request to Salesforce and sends nothing",
      getMember(dry.body, "dryRun") === true && list(dry.body, "requests").length > 0,
    );
  },
};
