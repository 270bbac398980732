/** Step: look up the operations of writes and their logs, also of the refused one. */
import { list, getMember, getText, type Step } from "../step.ts";

const SHOWN = ["id", "status", "result", "metadata.successfulRecordIds", "createTime"];

export const findOperationStep: Step = {
  title: "Look up the writes",
  async run(deps) {
    const done = await deps.api("GET", `/operations/${deps.recall("operationId")}`, { shows: SHOWN });
    deps.check("the write to HubSpot is recorded as a success", getMember(done.body, "status") === "success");
    const logs = await deps.api("GET", `/operations/${deps.recall("operationId")}/logs`, {
      shows: ["*.timestamp"],
    });
    for (const entry of list({ all: logs.body }, "all")) {
      deps.say(`  ${getText(entry, "severity").padEnd(7)} ${getText(entry, "message.msg")}`);
    }
    deps.check("its log names the request to HubSpot", JSON.stringify(logs.body).includes("POST /crm"));
    const refused = await deps.api("GET", `/operations/${deps.recall("refusedOperationId")}`, {
      shows: SHOWN,
    });
    deps.check("the refused write is recorded as a failure", getMember(refused.body, "status") === "failure");
  },
};
