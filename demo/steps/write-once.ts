/** Step: a request that is repeated with its Idempotency-Key happens once; a dry run shows it without sending it. */
import { list, member, text, type Step } from "../step.ts";

export const writeOnce: Step = {
  title: "Repeat a request safely; look before writing",
  async run(on) {
    const company = { type: "create", record: { name: "Once Ltd" } };
    const headers = { "idempotency-key": `order-4711-${on.groupRef}` };
    const shows = ["operationId", "result.success", "result.recordId"];
    const first = await on.write("accounts-hubspot", "companies", company, { headers, shows });
    const again = await on.write("accounts-hubspot", "companies", company, { headers, shows });
    on.check(
      "the same key, the same answer, one company",
      text(first.body, "result.recordId") === text(again.body, "result.recordId"),
    );
    const other = { type: "create", record: { name: "Another Ltd" } };
    const reused = await on.write("accounts-hubspot", "companies", other, {
      headers,
      shows: ["title", "status", "detail"],
    });
    on.check("the same key with another request is refused: 422", reused.status === 422);

    const dry = await on.write(
      "people-salesforce",
      "person",
      { type: "create", record: { givenName: "Grace", familyName: "Hopper", notes: "Admiral" } },
      { query: "?dryRun=true", shows: ["dryRun", "requests", "records.*.fields", "records.*.withheld"] },
    );
    on.check(
      "a dry run shows the request to Salesforce and sends nothing",
      member(dry.body, "dryRun") === true && list(dry.body, "requests").length > 0,
    );
  },
};
