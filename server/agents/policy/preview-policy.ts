/** Lists how the policy decides about each tool for one customer, as an agent with every right would meet it. */
import { newId } from "../../../ground/ids.ts";
import type { ProjectRef } from "../../http/endpoint.ts";
import { AgentSession } from "../agent-session.ts";
import { listInstalledOfGroup } from "../../store/integrations/installations.ts";
import { listCustomerIntegrations, type CustomerObjectServices } from "../customer-objects.ts";
import {
  decide,
  listHiddenFields,
  loadPolicy,
  type ActKind,
  type AgentTool,
  type Decision,
} from "./policy.ts";
import { decideOn, isRuled } from "./require-allowed.ts";

interface ToolDecision {
  tool: AgentTool;
  integration: string;
  /** The builder's name of the object; absent for `call_api`. */
  object?: string;
  kind: "read" | "write" | "delete";
  decision: Decision;
  /** Fields of the object that the agent does not see. */
  hiddenFields?: string[];
}

const OBJECT_TOOLS: readonly [AgentTool, ActKind][] = [
  ["search_records", "read"],
  ["get_record", "read"],
  ["create_record", "write"],
  ["update_record", "write"],
  ["upsert_record", "write"],
  ["delete_record", "delete"],
  ["undo_operation", "write"],
];

export async function previewPolicy(
  deps: CustomerObjectServices,
  { project, groupRef }: { project: ProjectRef; groupRef: string },
): Promise<ToolDecision[]> {
  const policy = await loadPolicy(deps.database, project.id);
  const session = new AgentSession({
    project,
    groupRef,
    rights: new Set(["read", "write", "proxy"]),
    principal: { kind: "customer", id: groupRef },
    requestId: newId(),
  });
  const installed = await listInstalledOfGroup(deps.database.control, project.id, groupRef);
  const integrations = await listCustomerIntegrations(deps, { session, policy }, installed);
  return integrations.flatMap(({ name: integration, objects, mayProxy }) => [
    ...objects.flatMap((object) => {
      const hidden = [...listHiddenFields(policy, [object.name, object.objectName])].toSorted();
      const can = (kind: ActKind) => (kind === "read" ? object.definition : object.settings) !== undefined;
      return OBJECT_TOOLS.filter(([, kind]) => can(kind)).map(([tool, kind]) => ({
        tool,
        integration,
        object: object.name,
        kind: toKind(kind),
        // Reading never needs an approval.
        decision: withoutQuestion(kind, decideOn(policy, { tool, kind }, object)),
        ...(hidden.length > 0 && { hiddenFields: hidden }),
      }));
    }),
    ...(mayProxy ? (["callApiRead", "callApiWrite"] as const) : []).map((kind): ToolDecision => {
      const decision = isRuled(policy, integration)
        ? decide(policy, { tool: "call_api", kind, integration })
        : "forbid";
      return { tool: "call_api", integration, kind: toKind(kind), decision: withoutQuestion(kind, decision) };
    }),
  ]);
}

const withoutQuestion = (kind: ActKind, decision: Decision): Decision =>
  decision === "ask" && (kind === "read" || kind === "callApiRead") ? "forbid" : decision;

const toKind = (kind: ActKind): ToolDecision["kind"] =>
  kind === "callApiRead" ? "read" : kind === "callApiWrite" ? "write" : kind;
