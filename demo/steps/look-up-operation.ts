/** Step: every write can be looked up afterwards, step by step, the refused one too. */
import { list, member, text, type Step } from "../step.ts";

const SHOWN = ["id", "status", "result", "metadata.successfulRecordIds", "createTime"];

export const lookUpOperation: Step = {
  title: "Look the writes up",
  async run(on) {
    const done = await on.api("GET", `/operations/${on.recall("operationId")}`, { shows: SHOWN });
    on.check("the write to HubSpot is recorded as a success", member(done.body, "status") === "success");
    const logs = await on.api("GET", `/operations/${on.recall("operationId")}/logs`, {
      shows: ["*.timestamp"],
    });
    for (const entry of list({ all: logs.body }, "all")) {
      on.say(`  ${text(entry, "severity").padEnd(7)} ${text(entry, "message.msg")}`);
    }
    on.check("its log names the request to HubSpot", JSON.stringify(logs.body).includes("POST /crm"));
    const refused = await on.api("GET", `/operations/${on.recall("refusedOperationId")}`, { shows: SHOWN });
    on.check("the refused write is recorded as a failure", member(refused.body, "status") === "failure");
  },
};
