/** A deployment of a manifest that an agent asks for: what would change, as whoever decides sees it, and whether that is still so. */
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import type { ApprovalRow } from "../../store/agents/approvals.ts";
import type { Database } from "../../store/database/database.ts";
import { findProject } from "../../store/access/projects.ts";
import { AgentSession, type Principal } from "../agent-session.ts";
import { callAs, type CallOperation } from "../api-operations.ts";
import { hashCanonical } from "./approved-write.ts";

export interface DeployingServices {
  database: Database;
  callOperation: CallOperation;
}

/** A deployment that waits for approval, as stored. */
export interface ApprovedDeploy {
  kind: "deploy";
  manifest: string;
  principal: Principal;
  /** Hash of the plan that the approver was shown. */
  planHash: string;
}

type Deploying = Parameters<typeof callAs>[0];

/** Returns what deploying would do to each integration, by its name. Throws a 422 Problem for an invalid manifest. */
export async function planDeploy(call: Deploying, manifest: string): Promise<JsonObject[]> {
  const query = { dryRun: true };
  const planned = await callAs(call, "batchUpsertIntegrations", { query, body: { sourceYaml: manifest } });
  return Array.isArray(planned) ? planned.filter(isJsonObject) : [];
}

/** Deploys. Returns the integrations with their warnings. */
export async function deploy(call: Deploying, manifest: string): Promise<JsonObject[]> {
  const deployed = await callAs(call, "batchUpsertIntegrations", { body: { sourceYaml: manifest } });
  return Array.isArray(deployed) ? deployed.filter(isJsonObject) : [];
}

/** Hashes the changes of a plan, without what changes by itself, such as the number of customers. */
export const hashPlan = (plan: readonly JsonObject[]): string => hashCanonical(plan.map(toChange));

const toChange = ({ name, provider, change, changes }: JsonObject): JsonObject => ({
  name: name ?? null,
  provider: provider ?? null,
  change: change ?? null,
  changes: changes ?? [],
});

/** Returns the values that change, by integration and place in it, before or after. */
export const listPlanValues = (plan: readonly JsonObject[], side: "before" | "after"): JsonObject =>
  Object.fromEntries(plan.map((one) => [String(one["name"]), listChangedValues(one, side)]));

function listChangedValues({ change, changes }: JsonObject, side: "before" | "after"): Json {
  if (change === "changed" && Array.isArray(changes)) {
    const values = changes
      .filter(isJsonObject)
      .map((one) => [String(one["path"]), one[side] ?? null] as const);
    return Object.fromEntries(values);
  }
  return change === "added" && side === "before" ? null : String(change);
}

/**
 * Deploys an approved manifest. Deploying again what a process that died had deployed already changes nothing, so it counts as done.
 * Throws a Problem if the manifest can no longer be deployed.
 */
export async function carryOutDeploy(
  deps: DeployingServices,
  approval: ApprovalRow,
): Promise<{ status: "executed" | "stale" | "failed"; reason?: string }> {
  // Only `deploy_manifest` stores these.
  const { manifest, principal, planHash } = approval.act as unknown as ApprovedDeploy;
  const project = await findProject(deps.database.control, approval.projectId);
  if (!project) return { status: "failed", reason: "The project was deleted." };
  const rights = new Set(["full"] as const);
  const session = new AgentSession({ project, rights, principal, requestId: approval.requestId ?? "" });
  const call = { deps, session };
  const plan = await planDeploy(call, manifest);
  if (plan.every(({ change }) => change === "unchanged")) return { status: "executed" };
  if (hashPlan(plan) !== planHash) {
    const reason =
      "Other changes were deployed since, so it would not do what was shown. Nothing was deployed; the agent has to ask again.";
    return { status: "stale", reason };
  }
  await deploy(call, manifest);
  return { status: "executed" };
}
