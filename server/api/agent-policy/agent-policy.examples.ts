/** Calls the operations of the policy of agents. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call }) {
    await call("putAgentPolicy", {
      body: {
        rules: [
          { tool: "update_record", object: "contact", decision: "allow" },
          { tool: "delete_record", decision: "forbid" },
        ],
        default: { write: "ask" },
        hiddenFields: { contact: ["ssn"] },
        budgets: { writesPerHour: 200, writesPerHourPerGroup: 50 },
      },
    });
    await call("getAgentPolicy");
    await call("listAgentDecisions", { query: { groupRef: "acme" } });
    await call("putAgentPolicy", { body: {} });
  },
};
