/** Decides who is asking and whether they may: the credential, its scope, its project. */
import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "../ground/errors.ts";
import { hashApiKey } from "../ground/ids.ts";
import type { Audience, Caller, ProjectRef } from "../http/endpoint.ts";
import type { Confine } from "../http/server.ts";
import { findKeyOwner, type KeyOwner } from "../store/api-keys.ts";
import type { Changes } from "../store/changes.ts";
import type { Database } from "../store/database.ts";
import { findProject } from "../store/projects.ts";
import { remember } from "../store/remembered.ts";
import { openConfine } from "./confine.ts";

export interface Access {
  /** The owner of an API key, from memory where possible. Throws `unauthenticated`. */
  keyOwner(key: string | undefined): Promise<KeyOwner>;
  /** The caller and, below a project's path, the project. Throws 401, 403 or 404 Problems. */
  authorize(request: {
    headers: IncomingHttpHeaders;
    audience: Audience;
    projectIdOrName?: string;
  }): Promise<{ caller: Caller; project?: ProjectRef }>;
  /** Keeps callers who speak for one group to that group. Throws 403 and 404 Problems. */
  confine: Confine;
}

const MOST_KEYS = 10_000;

/** `changes` tells when a key or project was altered anywhere. */
export function openAccess(on: { database: Database; changes: Changes }): Access {
  const owners = remember<KeyOwner>(on.changes, {
    most: MOST_KEYS,
    affected: ({ table, id }) => {
      if (table === "api_keys") return (owner) => owner.apiKeyId === id;
      return table === "projects" ? (owner) => owner.projectId === id : undefined;
    },
  });
  const keyOwner: Access["keyOwner"] = async (key) => {
    if (!key) throw unauthenticated("Send an API key of the project in the header `X-Api-Key`.");
    const digest = hashApiKey(key);
    const owner = await owners.get(digest.toString("base64"), () =>
      findKeyOwner(on.database.queries, digest),
    );
    if (!owner) throw unauthenticated("This API key does not exist, or it was switched off.");
    return owner;
  };
  return {
    keyOwner,
    confine: openConfine(on),
    async authorize({ headers, audience, projectIdOrName }) {
      if (audience === "public") return { caller: NOBODY };
      const owner = await keyOwner(single(headers["x-api-key"]));
      requireScope(owner.scopes, audience);
      const caller = toCaller(owner);
      if (projectIdOrName === undefined) return { caller };
      await requireOwnProject(on.database, owner, projectIdOrName);
      return { caller, project: { id: owner.projectId, name: owner.projectName, orgId: owner.orgId } };
    },
  };
}

const NOBODY: Caller = { kind: "nobody", scopes: [] };

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const unauthenticated = (detail: string) => new Problem("unauthenticated", { detail });

const toCaller = ({ apiKeyId, projectId, orgId, scopes }: KeyOwner): Caller => ({
  kind: "api-key",
  apiKeyId,
  projectId,
  orgId,
  scopes,
});

function requireScope(scopes: string[], audience: Audience): void {
  if (scopes.includes("full") || (audience === "frontend" && scopes.includes("frontend"))) return;
  throw new Problem("forbidden", {
    detail: `This needs an API key with the scope \`full\`; the one sent has ${scopes.map((scope) => `\`${scope}\``).join(", ") || "none"}. Call it from your server.`,
  });
}

async function requireOwnProject(database: Database, owner: KeyOwner, idOrName: string): Promise<void> {
  const asked = idOrName.toLowerCase();
  if (asked === owner.projectId || asked === owner.projectName) return;
  if (await findProject(database.queries, asked)) {
    throw new Problem("forbidden", {
      detail: `This API key belongs to the project \`${owner.projectName}\`, not to the one in the path. Use a key of that project.`,
    });
  }
  throw new Problem("not-found", { detail: `There is no project \`${idOrName}\`.` });
}
