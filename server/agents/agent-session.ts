/** Who calls an endpoint of agents, for which customer, and what the credential allows. */
import type { Role } from "../../ground/role.ts";
import type { Caller, ProjectRef } from "../http/endpoint.ts";
import type { Actor } from "../store/operations/operations.ts";
import type { Right } from "./agent-tool.ts";
import type { AgentPolicy } from "./policy/policy.ts";

/** The owner of the credential. */
export interface Principal {
  kind: "key" | "person" | "customer" | "issuer";
  /** Id of the key or person, the token's `consumerRef`, or `iss` and `sub` with a space between. */
  id: string;
  /** Label of the key, or name of the person. */
  name?: string;
}

/** The policy and installations that apply to a call of a customer's agent, as they were when it arrived. */
export interface CustomerScope {
  policy: AgentPolicy;
  /** The customer's installations, each with the status of its connection. */
  installed: readonly { id: string; status: string | null }[];
  /** Whether an approval was requested so recently that the same call counts as the same act. */
  hasAsked: boolean;
}

/** A class, so that it is recognised when the protocol library hands it back. */
export class AgentSession {
  readonly project: ProjectRef;
  readonly #groupRef: string | undefined;
  readonly #scope: CustomerScope | undefined;
  readonly rights: ReadonlySet<Right>;
  readonly principal: Principal;
  readonly requestId: string;
  /** How the agent's program calls itself; known once its message was read. */
  client: string | undefined;

  /** Role in the project's organisation, for people and full keys. */
  readonly role: Role | undefined;

  constructor(of: {
    project: ProjectRef;
    /** Absent at the endpoint of the project itself. */
    groupRef?: string;
    scope?: CustomerScope;
    rights: ReadonlySet<Right>;
    principal: Principal;
    role?: Role | undefined;
    requestId: string;
  }) {
    this.project = of.project;
    this.#groupRef = of.groupRef;
    this.#scope = of.scope;
    this.rights = of.rights;
    this.principal = of.principal;
    this.role = of.role;
    this.requestId = of.requestId;
  }

  /** The customer at whose endpoint the agent calls. */
  get groupRef(): string {
    if (this.#groupRef === undefined) throw new Error("the endpoint of a project has no customer");
    return this.#groupRef;
  }

  /** The same; undefined at the endpoint of the project itself. */
  get customer(): string | undefined {
    return this.#groupRef;
  }

  get scope(): CustomerScope {
    if (!this.#scope) throw new Error("no request of a customer's agent");
    return this.#scope;
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

  /** The caller for operations of the API. What it may call was checked before. */
  get caller(): Caller {
    const { project, principal, role } = this;
    const { id, name, client } = this.actor;
    const agent = {
      id,
      ...(name !== undefined && { name }),
      ...(client !== undefined && { client }),
      groupRef: this.customer,
    };
    const of = { projectId: project.id, orgId: project.orgId, agent, ...(role && { role }) };
    if (principal.kind === "customer") {
      const { groupRef } = this;
      return { ...of, kind: "customer", scopes: [], groupRef, consumerRef: principal.id };
    }
    const scopes = this.rights.has("full") ? ["full"] : [];
    if (principal.kind === "person") return { ...of, kind: "person", scopes, builderId: principal.id };
    return { ...of, kind: "api-key", scopes, ...(principal.kind === "key" && { apiKeyId: principal.id }) };
  }
}
