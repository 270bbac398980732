/** Tools that check a manifest and deploy it. Deploying waits for somebody's decision, unless the key says otherwise. */
import { Type } from "typebox";
import type { JsonObject } from "../../../ground/json.ts";
import { Problem } from "../../../ground/errors.ts";
import { requireRole } from "../../http/require-role.ts";
import { findApiKey } from "../../store/access/api-keys.ts";
import { truncateToBytes } from "../agent-lookups.ts";
import { defineTool, LOOKS_UP } from "../agent-tool.ts";
import {
  deploy,
  hashPlan,
  planDeploy,
  listPlanValues,
  type ApprovedDeploy,
} from "../approvals/approved-deploy.ts";
import { showAsked } from "../planned-write.ts";
import type { ManageCall } from "./manage-call.ts";
import { digestAct, SAME_ACT_MINUTES, storeApproval } from "../approvals/request-approval.ts";
import { requireRunning } from "../policy/require-allowed.ts";

const MAX_MANIFEST = 500_000;

const ManifestArgument = Type.String({
  minLength: 1,
  maxLength: MAX_MANIFEST,
  description: "Text of the `amp.yaml`.",
});

const Changes = Type.Array(Type.Object({}, { additionalProperties: true }), {
  description: "For each integration what deploying would change, with its warnings.",
});

export const validateManifestTool = defineTool({
  name: "validate_manifest",
  title: "Check a manifest",
  description:
    "Checks the text of an `amp.yaml` with this project's providers and destinations, and compares it with what is deployed. Nothing is " +
    "stored. Each fault has line, column, rule and remedy.",
  input: Type.Object({ manifest: ManifestArgument }),
  output: Type.Object({
    valid: Type.Boolean({ description: "Whether it can be deployed." }),
    issues: Type.Array(Type.Object({}, { additionalProperties: true }), { description: "Faults to mend." }),
    changes: Changes,
  }),
  annotations: LOOKS_UP,
  rights: ["full"],
  async run(call: ManageCall, { manifest }) {
    // The API demands the same role for a dry run.
    requireRole(call.session.caller, "support");
    try {
      return { valid: true, issues: [], changes: truncateToBytes(await planDeploy(call, manifest)).kept };
    } catch (error) {
      if (!(error instanceof Problem) || !error.options.issues) throw error;
      const issues = JSON.parse(JSON.stringify(error.options.issues)) as JsonObject[];
      return { valid: false, issues: truncateToBytes(issues).kept, changes: [] };
    }
  },
});

export const deployManifestTool = defineTool({
  name: "deploy_manifest",
  title: "Deploy a manifest",
  description:
    "Deploys the text of an `amp.yaml`: a new revision of each integration in it, which every customer that has installed it uses at " +
    "once. Check it with validate_manifest first. Unless the API key allows it, nothing is deployed until a person or the builder's " +
    "server approves: the answer is then `approval_required`, and asking again for the same manifest gives the same approval with its state.",
  input: Type.Object({ manifest: ManifestArgument }),
  output: Type.Object({
    status: Type.String({ description: "`success` or `approval_required`." }),
    integrations: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true }), {
        description: "As deployed, with warnings.",
      }),
    ),
    changes: Type.Optional(Changes),
    approval: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: "What waits for a decision, and its state." },
      ),
    ),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rights: ["full"],
  refusedAs: ({ slug }) => (slug === "forbidden" ? "forbidden" : "failure"),
  async run(call: ManageCall, { manifest }): Promise<JsonObject> {
    const { deps, session, policy } = call;
    requireRunning(policy);
    requireRole(session.caller, "editor");
    if (await mayDeploy(call)) {
      return { status: "success", integrations: truncateToBytes(await deploy(call, manifest)).kept };
    }
    const plan = await planDeploy(call, manifest);
    const { principal, project, actor, requestId } = session;
    const planHash = hashPlan(plan);
    const act: ApprovedDeploy = { kind: "deploy", manifest, principal, planHash };
    const approval = await storeApproval(
      deps,
      {
        projectId: project.id,
        groupRef: null,
        principal,
        actor,
        policy,
        tool: "deploy_manifest",
        arguments: { manifest },
        requestId,
        requestKey: {
          key: digestAct([principal.kind, principal.id, manifest, planHash]),
          keptMs: SAME_ACT_MINUTES * deps.minuteMs,
        },
      },
      {
        integration: null,
        installationId: null,
        objectName: null,
        recordId: null,
        act: JSON.parse(JSON.stringify(act)) as JsonObject,
        before: listPlanValues(plan, "before"),
        after: listPlanValues(plan, "after"),
      },
    );
    return {
      status: "approval_required",
      changes: truncateToBytes(plan).kept,
      approval: showAsked(deps, session, approval),
    };
  },
});

/** Returns whether the caller's key permits deployments. A person who works with an agent has given it no standing permission. */
async function mayDeploy({ deps, session }: ManageCall): Promise<boolean> {
  const { principal, project } = session;
  if (principal.kind !== "key") return false;
  const key = await findApiKey(deps.database.control, project.id, principal.id);
  return key?.agentMayDeploy === true;
}
