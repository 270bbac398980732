/** Authenticates callers and authorizes requests: the credential, its scope, its project. */
import type { IncomingHttpHeaders } from "node:http";
import { nowMs } from "../../ground/clock.ts";
import { suggestName } from "../../ground/closest.ts";
import { Problem } from "../../ground/errors.ts";
import { hashSecret, isMistypedApiKey } from "../../ground/ids.ts";
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import type { Role } from "../../ground/role.ts";
import type { Audience, Caller, ProjectRef } from "../http/endpoint.ts";
import { refuseNotOwn } from "../http/require-role.ts";
import type { Confine } from "../http/server-options.ts";
import { findKeyOwner, type KeyOwner } from "../store/access/api-keys.ts";
import type { Changes } from "../store/database/changes.ts";
import type { Database } from "../store/database/database.ts";
import type { SharedQueries } from "../store/database/sides.ts";
import { findProject, listProjectNames } from "../store/access/projects.ts";
import { cacheUntilChanged } from "../store/processes/row-cache.ts";
import { openKeyLimits, type KeyLimits } from "./key-limits.ts";
import { openGroupLimit } from "./limit-to-group.ts";
import type { LastUses } from "./last-uses-log.ts";
import type { Person, IdentifyPerson } from "./person-token.ts";
import { openCustomerTokens, type Customer, type IdentifyCustomer } from "./customer-token.ts";
import { isSessionToken, type SignInSessions } from "./sign-in-sessions.ts";

export interface Access {
  /** Returns the owner of an API key, from memory where possible. Throws `unauthenticated`. */
  keyOwner(key: string | undefined): Promise<KeyOwner>;
  keyLimits: KeyLimits;
  identifyCustomer: IdentifyCustomer;
  /**
   * Returns the caller and, below a project's path, the project; or the refusal by a limit of the caller's key. Throws 401,
   * 403 or 404 Problems.
   */
  authorize(request: {
    headers: IncomingHttpHeaders;
    audience: Audience;
    /** For the audience `public`: whether a valid credential identifies the caller's project. */
    recognizesProject?: boolean | undefined;
    projectIdOrName?: string;
    orgId?: string;
    /** Returns the client's address. Given when a request is checked for the first time, which counts it against the limits. */
    address?: () => string;
  }): Promise<{ caller: Caller; project?: ProjectRef; refusal?: Problem }>;
  /** Limits customer tokens to their group. Throws 403 and 404 Problems. */
  confine: Confine;
}

const MAX_KEYS = 10_000;
const UNKNOWN = "This API key does not exist, or it was switched off.";
const TAKE_ANOTHER =
  "Take an active key of the project: *API keys* in the dashboard lists them and creates others. The first key of a new server is in `bootstrap.json` in its data folder.";
const MISTYPED = "This API key is mistyped or incomplete: its checksum is wrong. Copy the whole key.";

/** Opens the check of callers. Cached keys are dropped when `changes` reports a change of a key or project. */
export function openAccess(deps: {
  database: Database;
  changes: Changes;
  sessions: Pick<SignInSessions, "identifyPerson" | "personOfCookie">;
  uses: Pick<LastUses, "key" | "session">;
  /** Checks tokens of the OpenID Connect issuer; absent without an issuer. */
  identifyPerson?: IdentifyPerson;
}): Access {
  const owners = cacheUntilChanged<KeyOwner>(deps.changes, {
    max: MAX_KEYS,
    tables: ["api_keys", "projects"],
    listRowIds: ({ apiKeyId, projectId }) => [apiKeyId, projectId],
  });
  const computeDigest = openRecentDigests();
  const keyOwner: Access["keyOwner"] = async (key) => {
    if (!key) throw buildUnauthenticated("Send an API key of the project in the header `X-Api-Key`.");
    const digest = computeDigest(key);
    const owner = await owners.get(digest, () =>
      findKeyOwner(deps.database.control, Buffer.from(digest, "base64")),
    );
    if (!owner)
      throw isMistypedApiKey(key)
        ? buildUnauthenticated(MISTYPED)
        : buildUnauthenticated(UNKNOWN, TAKE_ANOTHER);
    if (owner.expireTime && owner.expireTime.getTime() <= nowMs()) {
      throw buildUnauthenticated(
        `This API key expired at ${owner.expireTime.toISOString()}. Create another one.`,
      );
    }
    deps.uses.key(owner.apiKeyId);
    return owner;
  };
  const identifyCustomer = openCustomerTokens(deps);
  const keyLimits = openKeyLimits();
  return {
    keyOwner,
    keyLimits,
    identifyCustomer,
    confine: openGroupLimit(deps),
    async authorize({ headers, audience, recognizesProject, projectIdOrName, orgId, address }) {
      const identifyCaller = () => identify({ ...deps, keyOwner, identifyCustomer }, headers);
      if (audience === "public")
        return { caller: recognizesProject ? await recognize(identifyCaller) : NOBODY };
      const { caller, home, owner } = await identifyCaller();
      // Checked before anything is looked up, so that the user of a stolen key learns nothing.
      const refusal = owner && address && keyLimits.refusal(owner, address);
      if (refusal) return { caller, project: home, refusal };
      if (caller.sessionId !== undefined) deps.uses.session(caller.sessionId);
      requireScope(caller, audience);
      if (caller.kind === "api-key") caller.role = findKeyRole(caller.scopes, audience);
      if (orgId !== undefined) return { caller: placeInOrganization(caller, orgId) };
      if (projectIdOrName === undefined) return { caller };
      const asked = projectIdOrName.toLowerCase();
      if (home && (asked === home.id || asked === home.name)) return { caller, project: home };
      const project = await requireProject(deps.database, caller, projectIdOrName, audience);
      const role = caller.role ?? caller.roles?.get(project.orgId);
      return { caller: { ...caller, role, projectId: caller.projectId ?? project.id }, project };
    },
  };
}

const REMEMBERED_MS = 1_000;
const MAX_REMEMBERED = 1_000;

/** Returns a function that hashes API keys, in base64, and remembers the results for a second: a busy key costs 2 µs less. */
function openRecentDigests(): (key: string) => string {
  const digests = keepRecentlyUsed<string>(MAX_REMEMBERED, { ttl: REMEMBERED_MS });
  return (key) => {
    const known = digests.get(key);
    if (known !== undefined) return known;
    const digest = hashSecret(key).toString("base64");
    digests.set(key, digest);
    return digest;
  };
}

/** The caller, and the project of the credential; a person's token has none. */
interface Identity {
  caller: Caller;
  home?: ProjectRef;
  /** Set for API keys. */
  owner?: KeyOwner;
}

async function identify(
  by: {
    keyOwner: Access["keyOwner"];
    identifyCustomer: IdentifyCustomer;
    sessions: Pick<SignInSessions, "identifyPerson" | "personOfCookie">;
    identifyPerson?: IdentifyPerson;
  },
  headers: IncomingHttpHeaders,
): Promise<Identity> {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const apiKey = toSingle(headers["x-api-key"]);
  if (!apiKey && !headers.authorization) {
    const person = await by.sessions.personOfCookie(headers);
    if (person) return { caller: toPersonCaller(person) };
  }
  if (apiKey || bearer === undefined) return toKeyIdentity(await by.keyOwner(apiKey));
  if (bearer.startsWith("bb_")) {
    throw buildUnauthenticated(
      "That looks like an API key. Send it in the header `X-Api-Key`, without `Bearer`.",
    );
  }
  if (isSessionToken(bearer)) return { caller: toPersonCaller(await by.sessions.identifyPerson(bearer)) };
  const customer = await by.identifyCustomer(bearer);
  if (customer) return toCustomerIdentity(customer);
  if (by.identifyPerson) return { caller: toPersonCaller(await by.identifyPerson(bearer)) };
  throw buildUnauthenticated(
    "The bearer token's `kid` names no active JWT key. Register the public key with POST …/jwt-keys.",
  );
}

function toKeyIdentity(owner: KeyOwner): Identity {
  const { apiKeyId, label: name, scopes, projectId, projectName, orgId } = owner;
  return {
    caller: { kind: "api-key", apiKeyId, name, projectId, orgId, scopes },
    home: { id: projectId, name: projectName, orgId },
    owner,
  };
}

const toPersonCaller = (person: Person): Caller => ({ kind: "person", scopes: ["full"], ...person });

const toCustomerIdentity = ({ key, groupRef, consumerRef }: Customer): Identity => ({
  caller: {
    kind: "customer",
    projectId: key.projectId,
    orgId: key.orgId,
    scopes: ["frontend", "approver"],
    groupRef,
    consumerRef,
  },
  home: { id: key.projectId, name: key.projectName, orgId: key.orgId },
});

const NOBODY: Caller = { kind: "nobody", scopes: [] };

/** Returns nobody, with the project of a valid credential. */
async function recognize(identified: () => Promise<Identity>): Promise<Caller> {
  try {
    const { caller } = await identified();
    return { ...NOBODY, projectId: caller.projectId };
  } catch (error) {
    if (error instanceof Problem && error.slug === "unauthenticated") return NOBODY;
    throw error;
  }
}

const toSingle = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const buildUnauthenticated = (detail: string, remedy?: string) =>
  new Problem("unauthenticated", { detail, ...(remedy !== undefined && { remedy }) });

/** Endpoints that a scope names need no role; a key that may only read has that of a viewer everywhere else. */
function findKeyRole(scopes: readonly string[], audience: Audience): Role | undefined {
  if (scopes.includes("full")) return "editor";
  return scopes.includes(audience) ? undefined : "viewer";
}

function requireScope({ kind, scopes }: Caller, audience: Audience): void {
  if (kind === "person") return;
  if (audience === "person") {
    throw new Problem("forbidden", {
      detail:
        "This endpoint is about a person, and an API key does not identify one. Send the bearer token of a signed-in person.",
    });
  }
  if (["full", "read-only", audience].some((scope) => scopes.includes(scope))) return;
  const sent =
    kind === "customer"
      ? "a customer's token"
      : `one with ${scopes.map((scope) => `\`${scope}\``).join(", ") || "none"}`;
  throw new Problem("forbidden", {
    detail: `This needs an API key with the scope ${chooseScopes(audience)}, not ${sent}. Call it from your server.`,
  });
}

/** Names the project that was probably meant, if the caller may list it. */
async function explainUnknownProject(
  queries: SharedQueries,
  caller: Caller,
  idOrName: string,
): Promise<string> {
  const own = caller.scopes.includes("full") && caller.orgId !== undefined ? [caller.orgId] : [];
  const orgIds = caller.kind === "person" ? [...(caller.roles?.keys() ?? [])] : own;
  const known = await listProjectNames(queries, orgIds);
  const otherwise = "GET /v1/projects lists those that a full key or a person may use.";
  return `There is no project \`${idOrName}\`. ${suggestName(idOrName, known, otherwise)}`;
}

const chooseScopes = (audience: Audience): string =>
  audience === "write" || audience === "read" ? `\`full\` or \`${audience}\`` : "`full`";

/** Returns the caller with the role in an organisation. Throws a 403 Problem for any other, whether it exists or not. */
function placeInOrganization(caller: Caller, orgId: string): Caller {
  const asked = orgId.toLowerCase();
  const role = caller.kind === "person" ? caller.roles?.get(asked) : caller.role;
  if (role === undefined || (caller.kind !== "person" && caller.orgId !== asked)) throw refuseNotOwn(orgId);
  return { ...caller, role };
}

/**
 * Returns another project than the credential's own. People may access all projects of their organisations. A key may
 * access its own project only, except at endpoints about the organisation's projects.
 */
async function requireProject(
  database: Database,
  caller: Caller,
  idOrName: string,
  audience: Audience,
): Promise<ProjectRef> {
  const other = await findProject(database.control, idOrName.toLowerCase());
  if (!other)
    throw new Problem("not-found", {
      detail: await explainUnknownProject(database.control, caller, idOrName),
    });
  const may =
    caller.kind === "person"
      ? caller.roles?.has(other.orgId)
      : audience === "organization" && other.orgId === caller.orgId;
  if (may) return { id: other.id, name: other.name, orgId: other.orgId };
  throw new Problem("forbidden", {
    detail: `This credential has no access to the project \`${idOrName}\`. Use a credential of that project.`,
  });
}
