/** Step: an agent proposes an update through its endpoint, somebody else approves it, and it happens once. */
import { getMember, getText, type Step } from "../step.ts";

export const approveAgent: Step = {
  title: "Let an agent propose an update, and approve it",
  async run(deps) {
    const id = deps.recall("hubspotPersonId");
    const key = await deps.api("POST", "/api-keys", {
      body: { label: `agent of ${deps.groupRef}`, scopes: ["read", "write"] },
      shows: ["label", "scopes"],
    });
    const credential = getText(key.body, "key");
    const change = {
      integration: "people-hubspot",
      object: "person",
      id,
      record: { notes: "Mathematician" },
    };
    const proposed = await deps.useTool(credential, "update_record", change, [
      "status",
      "approval.approvalId",
      "approval.status",
    ]);
    deps.check(
      "by default somebody decides about an agent's writes: nothing is sent",
      getMember(proposed, "status") === "approval_required",
    );
    const path = `/approvals/${getText(proposed, "approval.approvalId")}`;
    await deps.api("GET", path, { shows: ["status", "tool", "recordId", "before", "after", "actor.name"] });
    const decided = await deps.api("POST", `${path}:decide`, {
      body: { decision: "approve" },
      shows: ["status", "decidedBy.name"],
    });
    deps.check("approved by another key than the agent's", decided.status === 200);
    const isOpen = ({ body }: { body: typeof proposed }) => getMember(body, "status") === "approved";
    const done = await deps.poll(path, isOpen, { shows: ["status", "operationId"], everyMs: 200, max: 100 });
    deps.check("carried out", getMember(done.body, "status") === "executed");
    const again = await deps.api("POST", `${path}:decide`, {
      body: { decision: "approve" },
      shows: ["status", "detail"],
    });
    deps.check("a second decision is refused: 409", again.status === 409);
    const repeated = await deps.useTool(credential, "update_record", change, ["status", "repeated", "note"]);
    deps.check(
      "the same call is the same act: nothing is sent again",
      getMember(repeated, "repeated") === true,
    );
    const record = await deps.recordInCrm({ provider: "hubspot", object: "contacts", id }, [
      "id",
      "jobtitle",
    ]);
    deps.check("HubSpot has jobtitle Mathematician", getMember(record, "jobtitle") === "Mathematician");
  },
};
