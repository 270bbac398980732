/** Step: a write that the provider refuses, and one that Busbar refuses before sending. */
import { getMember, getText, type Step } from "../step.ts";

export const refuseWrite: Step = {
  title: "A refused write returns a Problem that says what to do",
  async run(deps) {
    const refused = await deps.write(
      "people-hubspot",
      "person",
      {
        type: "create",
        record: { email: "ada@lovelace.example", givenName: "Another Ada" },
      },
      { shows: ["type", "title", "status", "detail", "retryable", "requestId", "operationId", "result"] },
    );
    deps.check(
      "the provider's refusal: 422, application/problem+json",
      refused.status === 422 && refused.headers.get("content-type") === "application/problem+json",
    );
    deps.check(
      "it names the operation and repeats the provider's reason",
      Boolean(getMember(refused.body, "detail")),
    );
    deps.remember("refusedOperationId", getText(refused.body, "operationId"));

    const unsent = await deps.write(
      "people-hubspot",
      "person",
      {
        type: "update",
        record: { givenName: "Nobody" },
      },
      { shows: ["title", "status", "detail", "issues.*.name"] },
    );
    deps.check("an update without id is refused before sending: 400", unsent.status === 400);
  },
};
