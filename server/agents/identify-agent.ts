/** Identifies who calls an endpoint of agents: by an API key, a token of the customer, or a person's token. */
import type { IncomingHttpHeaders } from "node:http";
import { Problem, type ProblemOptions } from "../../ground/errors.ts";
import type { Access } from "../access/authorize.ts";
import type { ProjectRef } from "../http/endpoint.ts";
import { findAgentScope } from "../store/agents/agent-policies.ts";
import { findProject } from "../store/access/projects.ts";
import type { Database } from "../store/database/database.ts";
import { AgentSession, type CustomerScope } from "./agent-session.ts";
import { RIGHTS, type Right } from "./agent-tool.ts";
import type { IssuedTokens } from "./issuer-token.ts";
import { loadPolicy, readPolicy } from "./policy/policy.ts";
import { KEPT_HOURS } from "./approvals/request-approval.ts";

export interface AgentAccess {
  database: Database;
  access: Pick<Access, "keyOwner" | "keyLimits" | "identifyCustomer" | "authorize">;
  issuerTokens: IssuedTokens;
  minuteMs: number;
}

/** One request to an endpoint of agents. */
export interface AgentRequest {
  headers: IncomingHttpHeaders;
  /** Project as named in the path. */
  projectIdOrName: string;
  /** Empty at the endpoint of the project itself. */
  groupRef: string;
  requestId: string;
  /** Returns the client's address, which the limits of a key need. */
  address: () => string;
  /** Address of the endpoint as requested: what a token must be issued for. */
  resource: string;
  /** Address of the endpoint's metadata, for refusals. */
  metadataUrl: string;
}

/** At a customer's endpoint. Throws 401, 403 and 404 Problems; those of the first two say in `WWW-Authenticate` how to get in. */
export async function identifyAgent(deps: AgentAccess, request: AgentRequest): Promise<AgentSession> {
  const sent = readCredential(request);
  const found =
    sent.apiKey === undefined
      ? identifyByToken(deps, request, sent.bearer)
      : identifyByKey(deps, request, sent.apiKey);
  return found.catch((error: unknown) => {
    throw addChallenge(request, error);
  });
}

/** At the endpoint of a project: a key with the scope `full`, or a person. Throws 401, 403 and 404 Problems in the same way. */
export async function identifyManager(deps: AgentAccess, request: AgentRequest): Promise<AgentSession> {
  const sent = readCredential(request);
  const found =
    sent.apiKey === undefined
      ? openManagerSession(deps, request, { authorization: `Bearer ${sent.bearer}` })
      : identifyByFullKey(deps, request, sent.apiKey);
  return found.catch((error: unknown) => {
    throw addChallenge(request, error);
  });
}

function addChallenge(request: AgentRequest, error: unknown): unknown {
  if (!(error instanceof Problem) || error.slug !== "unauthenticated") return error;
  return buildChallenge(request, "unauthenticated", { ...error.options, error: "invalid_token" });
}

async function identifyByFullKey(
  deps: AgentAccess,
  request: AgentRequest,
  key: string,
): Promise<AgentSession> {
  const { scopes } = await deps.access.keyOwner(key);
  if (!scopes.includes("full")) throw refuseScope(request, ["full"]);
  return openManagerSession(deps, request, { "x-api-key": key });
}

async function openManagerSession(
  deps: AgentAccess,
  request: AgentRequest,
  headers: IncomingHttpHeaders,
): Promise<AgentSession> {
  const { projectIdOrName, address, requestId } = request;
  const asked = { headers, audience: "full", projectIdOrName, address } as const;
  const { caller, project, refusal } = await deps.access.authorize(asked);
  if (refusal) throw refusal;
  const { kind, apiKeyId, builderId, role, name } = caller;
  const id = kind === "person" ? builderId : apiKeyId;
  if (!project || id === undefined)
    throw new Problem("forbidden", { detail: "Send an API key with the scope `full`, or a person's token." });
  const principal = {
    kind: kind === "person" ? "person" : "key",
    id,
    ...(name !== undefined && { name }),
  } as const;
  return new AgentSession({ project, rights: new Set(["full"]), principal, role, requestId });
}

/** Returns the one credential of a request. Cookies do not count: a page in a browser must not act as its person. */
function readCredential(request: AgentRequest): { apiKey: string } | { apiKey?: undefined; bearer: string } {
  const { headers } = request;
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const apiKey = [headers["x-api-key"]].flat()[0] || undefined;
  if (apiKey !== undefined && headers.authorization !== undefined) {
    throw new Problem("invalid-request", {
      detail: "Send one credential: either `Authorization: Bearer` or `X-Api-Key`.",
    });
  }
  if (apiKey !== undefined) return { apiKey };
  if (bearer === undefined) {
    throw buildChallenge(request, "unauthenticated", {
      detail:
        "Send an API key of the project or a customer's token in the header `Authorization: Bearer`. Nothing else is a " +
        "credential here, neither a cookie nor the address.",
    });
  }
  return bearer.startsWith("bb_") ? { apiKey: bearer } : { bearer };
}

async function identifyByKey(deps: AgentAccess, request: AgentRequest, key: string): Promise<AgentSession> {
  const owner = await deps.access.keyOwner(key);
  const refusal = deps.access.keyLimits.refusal(owner, request.address);
  if (refusal) throw refusal;
  const project = { id: owner.projectId, name: owner.projectName, orgId: owner.orgId };
  requireProject(project, request);
  const rights = toRights(owner.scopes);
  if (rights.size === 0) throw refuseScope(request, ["read"]);
  const scope = await loadScope(deps, project, request);
  const principal = { kind: "key" as const, id: owner.apiKeyId, name: owner.label };
  return new AgentSession({ ...request, project, scope, rights, principal });
}

/** Throws a 404 Problem for a customer never seen, unless `mayBeNew`. */
async function loadScope(
  { database, minuteMs }: AgentAccess,
  { id: projectId }: ProjectRef,
  { groupRef }: AgentRequest,
  { mayBeNew = false } = {},
): Promise<CustomerScope> {
  const askedWithinMs = KEPT_HOURS * 60 * minuteMs;
  const found = await findAgentScope(database.control, { projectId, groupRef, askedWithinMs });
  const { policy, isKnown, installed, hasAsked } = found;
  if (isKnown || mayBeNew) return { policy: readPolicy(policy), installed, hasAsked };
  throw new Problem("not-found", {
    detail: `There is no group \`${groupRef}\` in this project. A group exists once the customer has connected an account or was created by POST …/groups.`,
  });
}

/** Returns what the scopes of an API key allow an agent. A key of browsers allows nothing. */
function toRights(scopes: readonly string[]): Set<Right> {
  if (scopes.includes("full")) return new Set(["read", "write", "proxy"]);
  const rights = new Set<Right>();
  if (scopes.includes("read") || scopes.includes("read-only")) rights.add("read");
  if (scopes.includes("write")) rights.add("write");
  if (scopes.includes("proxy")) rights.add("proxy");
  return rights;
}

/** A token of the customer is good for its own group, also one that has connected nothing yet. */
async function identifyByToken(
  deps: AgentAccess,
  request: AgentRequest,
  token: string,
): Promise<AgentSession> {
  const customer = await deps.access.identifyCustomer(token);
  if (!customer) return identifyByIssuer(deps, request, token);
  const { key, groupRef, consumerRef } = customer;
  const project = { id: key.projectId, name: key.projectName, orgId: key.orgId };
  requireProject(project, request);
  if (groupRef !== request.groupRef) {
    throw new Problem("forbidden", {
      detail: `This token is limited to the group \`${groupRef}\`. Use the endpoint of that group.`,
    });
  }
  const principal = { kind: "customer" as const, id: consumerRef };
  const scope = await loadScope(deps, project, request, { mayBeNew: true });
  return new AgentSession({ ...request, project, scope, rights: new Set(["read", "write"]), principal });
}

/** A token of an authorization server that the project's policy names, for this very endpoint (RFC 8707). */
async function identifyByIssuer(
  deps: AgentAccess,
  request: AgentRequest,
  token: string,
): Promise<AgentSession> {
  const { database, issuerTokens } = deps;
  const issuer = issuerTokens.readIssuer(token);
  const project =
    issuer === undefined
      ? undefined
      : await findProject(database.control, request.projectIdOrName.toLowerCase());
  const trusted = project ? (await loadPolicy(database, project.id)).authorizationServers : [];
  if (!project || issuer === undefined || !trusted.includes(issuer)) {
    throw new Problem("unauthenticated", {
      detail:
        "The bearer token is neither an API key, nor signed by a JWT key of this project, nor of an issuer that its policy for agents " +
        "names. Register the public key with POST …/jwt-keys, or the issuer in `authorizationServers`.",
    });
  }
  const { id, scopes, groupRef } = await issuerTokens.check(token, { issuer, audience: request.resource });
  if (groupRef !== undefined && groupRef !== request.groupRef) {
    throw new Problem("forbidden", {
      detail: `This token is limited to the group \`${groupRef}\`. Use the endpoint of that group.`,
    });
  }
  const rights = new Set(RIGHTS.filter((right) => scopes.includes(right)));
  if (rights.size === 0) throw refuseScope(request, ["read"]);
  const scope = await loadScope(deps, project, request);
  return new AgentSession({ ...request, project, scope, rights, principal: { kind: "issuer", id } });
}

/** The same refusal whether the other project exists or not. */
function requireProject({ id, name }: ProjectRef, { projectIdOrName }: AgentRequest): void {
  const asked = projectIdOrName.toLowerCase();
  if (asked === id || asked === name) return;
  throw new Problem("forbidden", {
    detail: `This credential has no access to the project \`${projectIdOrName}\`. Use a credential of that project.`,
  });
}

/** Refuses a call that the credential does not cover, and names the scope that does (step-up). */
export const refuseScope = (
  request: Pick<AgentRequest, "metadataUrl">,
  rights: readonly Right[],
  what = "This endpoint",
): Problem =>
  buildChallenge(request, "forbidden", {
    detail: `${what} needs a credential with the scope ${rights.map((right) => `\`${right}\``).join(" or ")}.`,
    error: "insufficient_scope",
    scope: rights[0],
  });

function buildChallenge(
  { metadataUrl }: Pick<AgentRequest, "metadataUrl">,
  slug: "unauthenticated" | "forbidden",
  { error, scope, ...options }: ProblemOptions & { error?: string; scope?: string | undefined },
): Problem {
  const parts = { error, scope, resource_metadata: metadataUrl };
  const given = Object.entries(parts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value}"`],
  );
  return new Problem(slug, { ...options, headers: { "www-authenticate": `Bearer ${given.join(", ")}` } });
}
