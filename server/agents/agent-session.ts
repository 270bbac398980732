/** Who calls an agent endpoint, for which customer, and what the credential allows. */
import type { ProjectRef } from "../http/endpoint.ts";
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

  constructor(of: AgentSession) {
    this.project = of.project;
    this.groupRef = of.groupRef;
    this.rights = of.rights;
    this.principal = of.principal;
    this.requestId = of.requestId;
  }
}
