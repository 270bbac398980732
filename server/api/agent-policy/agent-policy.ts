/** The policy of a project's agents: its endpoints. */
import { AgentPolicySchema, loadPolicy, parsePolicy } from "../../agents/policy.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { replaceAgentPolicy } from "../../store/agent-policies.ts";
import { transact, type Database } from "../../store/database.ts";
import { PROJECT } from "../paths.ts";

export const agentPolicyRoutes = (deps: { database: Database }): Route[] => [
  route(`GET ${PROJECT}/agent-policy`, "full", getAgentPolicy(deps)),
  route(`PUT ${PROJECT}/agent-policy`, "full", putAgentPolicy(deps)),
];

const getAgentPolicy = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getAgentPolicy",
    tag: "Agents",
    summary: "Get what agents may do",
    description:
      "Busbar's own. The policy, with every default; the descriptions of its members say which are not in force yet. A project " +
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
      await transact(deps.database, (queries) => replaceAgentPolicy(queries, project.id, body));
      return policy;
    },
  });
