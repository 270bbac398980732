/** Who calls an agent endpoint, for which customer, and what the credential allows. */
import type { Caller, ProjectRef } from "../http/endpoint.ts";
import type { Actor } from "../store/operations.ts";
import type { Right } from "./agent-tool.ts";

/** Whose credential it was. */
export interface Principal {
  kind: "key" | "customer" | "issuer";
  /** Id of the key, the token's `consumerRef`, or `iss` and `sub` with a space between. */
  id: string;
  /** Label of the key. */
  name?: string;
}

/** A class, so that it is recognised when the protocol library hands it back. */
export class AgentSession {
  readonly project: ProjectRef;
  readonly groupRef: string;
  readonly rights: ReadonlySet<Right>;
  readonly principal: Principal;
  readonly requestId: string;
  /** How the agent's program calls itself; known once its message was read. */
  client: string | undefined;

  constructor(of: Omit<AgentSession, "actor" | "client" | "caller">) {
    this.project = of.project;
    this.groupRef = of.groupRef;
    this.rights = of.rights;
    this.principal = of.principal;
    this.requestId = of.requestId;
  }

  get actor(): Actor {
    const { id, name } = this.principal;
    const { client } = this;
    return {
      kind: "agent",
      id,
      ...(name !== undefined && { name }),
      ...(client !== undefined && { client }),
    };
  }

  /** As operations of the API know who calls. What may be called was decided before. */
  get caller(): Caller {
    const { project, groupRef, principal } = this;
    const of = { projectId: project.id, orgId: project.orgId, scopes: [] };
    if (principal.kind === "customer")
      return { ...of, kind: "customer", groupRef, consumerRef: principal.id };
    return { ...of, kind: "api-key", ...(principal.kind === "key" && { apiKeyId: principal.id }) };
  }
}
