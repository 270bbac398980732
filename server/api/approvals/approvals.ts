/** Acts of agents that wait for a decision: its endpoints. */
import { Type } from "typebox";
import { openApprovals, type CustomerApprovalServices } from "../../agents/approvals/customer-approvals.ts";
import { decideApproval as decide, type DecideServices } from "../../agents/approvals/request-approval.ts";
import { APPROVAL_STATUSES, ApprovalSchema } from "../../events/approval-schema.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { listApprovals as listRows } from "../../store/agents/approvals.ts";
import { listQuery, listPage, describePage, periodQuery } from "../pages.ts";
import { PROJECT } from "../paths.ts";

type Services = DecideServices & CustomerApprovalServices;

export const listApprovalRoutes = (deps: Services): Route[] => [
  route(`GET ${PROJECT}/approvals`, "approver", listApprovals(deps)),
  route(`GET ${PROJECT}/approvals/{approvalId}`, "approver", getApproval(deps)),
  route(`POST ${PROJECT}/approvals/{approvalId}:decide`, "approver", decideApproval(deps)),
];

const ApprovalId = Type.String({ description: "Id of the approval." });
const describeFilter = (what: string) =>
  Type.Optional(Type.String({ description: `Return only approvals ${what}.` }));

const listApprovals = (deps: Services) =>
  projectEndpoint({
    operationId: "listApprovals",
    tag: "Agents",
    summary: "List approvals",
    description:
      "Busbar's own. Acts of agents that need or needed a decision, newest first. They contain customers' records.",
    query: Type.Object({
      status: Type.Optional(
        Type.Enum([...APPROVAL_STATUSES], { description: "Return only approvals in this status." }),
      ),
      groupRef: describeFilter("for this customer"),
      object: describeFilter("about this object, by your name or the provider's"),
      ...periodQuery,
      ...listQuery,
    }),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: describePage(ApprovalSchema) },
    async handle({ caller, project, query }) {
      const { show } = await openApprovals(deps, caller, project.id);
      const filter = { ...query, projectId: project.id };
      const { results, ...page } = await listPage(query, {
        list: (range) => listRows(deps.database.control, filter, range),
        show: (row) => row,
      });
      return { ...page, results: await Promise.all(results.map(show)) };
    },
  });

const getApproval = (deps: Services) =>
  projectEndpoint({
    operationId: "getApproval",
    tag: "Agents",
    summary: "Get an approval",
    description: "Busbar's own. The act with before and after, who asked, and what became of it.",
    params: Type.Object({ approvalId: ApprovalId }),
    success: { status: 200, description: "The approval.", schema: ApprovalSchema },
    async handle({ caller, project, params }) {
      const { get, show } = await openApprovals(deps, caller, project.id);
      return show(await get(params.approvalId));
    },
  });

const decideApproval = (deps: Services) =>
  projectEndpoint({
    operationId: "decideApproval",
    tag: "Agents",
    summary: "Approve or reject an act of an agent",
    description:
      "Busbar's own. Decides once, for the act exactly as it is stored. An approved act is carried out within seconds, once, as an " +
      "operation; if the record is not as it was shown any more, the approval ends `stale` and nothing is sent. Who asked cannot " +
      "decide: neither the same key or person, nor the person who made the key, nor the same consumer.",
    params: Type.Object({ approvalId: ApprovalId }),
    body: Type.Object({
      decision: Type.Enum(["approve", "reject"], { description: "What to do with the act." }),
      reason: Type.Optional(
        Type.String({ maxLength: 1_000, description: "Why, for the agent and for later readers." }),
      ),
    }),
    success: { status: 200, description: "The approval, decided.", schema: ApprovalSchema },
    refusals: {
      403: "The caller may not decide, or is who asked.",
      409: "It was decided before, or has expired.",
    },
    async handle({ caller, project, params, body }) {
      const { get, show } = await openApprovals(deps, caller, project.id);
      const { id } = await get(params.approvalId);
      return show(await decide(deps, { caller, projectId: project.id, id, ...body }));
    },
  });
