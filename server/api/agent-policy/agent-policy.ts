/** The policy of a project's agents: its endpoints. */
import { Type } from "typebox";
import type { CustomerObjectServices } from "../../agents/customer-objects.ts";
import { AgentPolicySchema, loadPolicy, parsePolicy } from "../../agents/policy/policy.ts";
import { previewPolicy } from "../../agents/policy/preview-policy.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { replaceAgentPolicy } from "../../store/agents/agent-policies.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import { PROJECT } from "../paths.ts";

export const listAgentPolicyRoutes = (deps: CustomerObjectServices): Route[] => [
  route(`GET ${PROJECT}/agent-policy`, "full", getAgentPolicy(deps)),
  route(`PUT ${PROJECT}/agent-policy`, "full", putAgentPolicy(deps)),
  route(`GET ${PROJECT}/agent-policy/decisions`, "full", listAgentDecisions(deps)),
];

const DecisionSchema = Type.Object(
  {
    tool: Type.String({ description: "The tool." }),
    kind: Type.Enum(["read", "write", "delete"], {
      description: "What it does; `call_api` is listed for both.",
    }),
    integration: Type.String({ description: "Name of the integration." }),
    object: Type.Optional(
      Type.String({ description: "The object, by your name for it. Absent for `call_api`." }),
    ),
    decision: Type.Enum(["allow", "ask", "forbid"], { description: "How the policy decides." }),
    hiddenFields: Type.Optional(
      Type.Array(Type.String(), { description: "Fields of the object that agents neither see nor write." }),
    ),
  },
  { title: "AgentDecision", description: "How the policy decides about one tool." },
);

const listAgentDecisions = (deps: CustomerObjectServices) =>
  projectEndpoint({
    operationId: "listAgentDecisions",
    tag: "Agents",
    summary: "List what agents may do for one customer",
    description:
      "Busbar's own. How the policy that is stored decides about each tool for each object that the customer has installed. A pause is " +
      "left out, and so is what a credential's scopes do not allow.",
    query: Type.Object({
      groupRef: Type.String({ minLength: 1, description: "Your own id for the customer." }),
    }),
    success: {
      status: 200,
      description: "The decisions; none for a customer that has installed nothing.",
      schema: Type.Array(DecisionSchema),
    },
    handle: ({ project, query }) => previewPolicy(deps, { project, groupRef: query.groupRef }),
  });

const getAgentPolicy = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getAgentPolicy",
    tag: "Agents",
    summary: "Get what agents may do",
    description:
      "Busbar's own. The policy, with every default. A project " +
      "that has set nothing lets agents read; writes need a decision, and the rest is refused.",
    success: { status: 200, description: "The policy.", schema: AgentPolicySchema },
    handle: ({ project }) => loadPolicy(deps.database, project.id),
  });

const putAgentPolicy = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "putAgentPolicy",
    tag: "Agents",
    summary: "Set what agents may do",
    description:
      "Busbar's own. Replaces the whole policy; a member that is left out has its default again. It applies to the next call of " +
      "every agent: `paused: true` stops all of them.",
    body: AgentPolicySchema,
    success: { status: 200, description: "The policy that applies now.", schema: AgentPolicySchema },
    refusals: { 400: "A member, tool, decision or address is wrong: one issue each, with its place." },
    async handle({ project, body }) {
      const policy = parsePolicy(body);
      await transactControl(deps.database, (queries) => replaceAgentPolicy(queries, project.id, body));
      return policy;
    },
  });
