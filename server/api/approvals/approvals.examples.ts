/** Calls the operations of approvals, for an act that nobody will carry out. */
import { createLog } from "../../../ground/log.ts";
import { newId } from "../../../ground/ids.ts";
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";
import { hashCanonical } from "../../agents/approvals/approved-write.ts";
import { insertApproval } from "../../store/agents/approvals.ts";
import { openDatabase } from "../../store/database/open-database.ts";

export const examples: ResourceExamples = {
  async run({ busbar, call }) {
    const project = await busbar.inProject("GET", "");
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      log: createLog("silent"),
      poolSize: 1,
    });
    const id = newId();
    const sent = { object: "contact", id: "101", record: { email: "new@example.com" } };
    await insertApproval(database.control, {
      id,
      projectId: project.body.id,
      groupRef: null,
      tool: "update_record",
      integration: "crm",
      installationId: null,
      objectName: "contact",
      recordId: "101",
      arguments: sent,
      argumentsHash: hashCanonical(sent),
      act: { kind: "write" },
      before: { email: "old@example.com" },
      after: { email: "new@example.com" },
      actor: { kind: "agent", id: newId(), name: "assistant", client: "Assistant 1.0" },
      askers: [],
      requestId: null,
      requestKey: null,
      expireMs: 60_000,
      traceparent: null,
    });
    await database.close();
    await call("listApprovals", { query: { status: "pending" } });
    await call("getApproval", { path: { approvalId: id } });
    await call("decideApproval", {
      path: { approvalId: id },
      body: { decision: "reject", reason: "Wrong address" },
    });
  },
};
