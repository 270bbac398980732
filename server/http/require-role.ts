/** Requires the role that a call needs: of people, and of full API keys, which may do what an editor may. */
import type { TSchema } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { includesRole, type Role } from "../../ground/role.ts";
import type { Caller, Endpoint, Route } from "./endpoint.ts";
import type { Inputs } from "./server-options.ts";

/** Query parameters that show secrets, or change something by a GET. */
export const SECRET_PARAMETERS = [
  "includeCreds",
  "includeRefreshToken",
  "includeSecrets",
  "rotate",
  "refresh",
];

/** Throws a 403 Problem that names the role needed. Callers without a role are limited by their scope instead. */
export function requireRole({ kind, role }: Pick<Caller, "kind" | "role">, needed: Role | undefined): void {
  if (role === undefined || needed === undefined || includesRole(role, needed)) return;
  const detail =
    kind === "api-key" && role === "viewer"
      ? READ_ONLY
      : kind === "person"
        ? `This needs the role \`${needed}\` in the organisation; yours is \`${role}\`. Ask an owner of the organisation.`
        : `This needs a person with the role \`${needed}\`; an API key may do what an \`${role}\` may. Sign in and send the person's token.`;
  throw new Problem("forbidden", { detail });
}

const READ_ONLY =
  "Of the scopes of this API key, only `read-only` applies to this call, which changes something or shows secrets. " +
  "Use a key with the scope `full`.";

/** Throws a 403 Problem for a key that may only read, on routes that need no role but change something. */
export function requireChanging({ kind, role }: Pick<Caller, "kind" | "role">, route: Route): void {
  if (kind !== "api-key" || role !== "viewer" || chooseRole(route) !== undefined) return;
  // Its address takes an upload.
  if (route.method === "GET" && !route.path.endsWith("/generate-upload-url")) return;
  throw new Problem("forbidden", { detail: READ_ONLY });
}

/** Requires a role in an organisation that the body names. Throws a 403 Problem. */
export function requireRoleIn(caller: Caller, orgId: string, needed: Role): void {
  if (caller.kind !== "person") return requireRole(caller, needed);
  const role = caller.roles?.get(orgId.toLowerCase());
  if (role === undefined) throw refuseNotOwn(orgId);
  requireRole({ kind: "person", role }, needed);
}

export const refuseNotOwn = (orgId: string): Problem =>
  new Problem("forbidden", {
    detail: `This credential does not belong to the organisation \`${orgId}\`. Use one that does.`,
  });

/** Returns the role that a route needs, or undefined if its handler checks, or if it belongs to no organisation. */
export function chooseRole({ method, path, endpoint }: Route): Role | undefined {
  if (endpoint.role === "checked by the endpoint") return undefined;
  if (endpoint.role !== undefined) return endpoint.role;
  if (!endpoint.inProject && !path.includes("{orgId}")) return undefined;
  return method === "GET" ? "viewer" : "editor";
}

/** Returns the role that every call of the route needs, whatever its parameters. */
export function findLeastRole(route: Route): Role | undefined {
  const role = chooseRole(route);
  return role !== undefined && hasDryRun(route.endpoint) ? chooseLower(role, "support") : role;
}

/** Returns the role that this call needs: secrets need an editor, a dry run only `support`. */
export function findRequiredRole(route: Route, { query, body }: Inputs): Role | undefined {
  const role = chooseRole(route);
  if (role === undefined) return undefined;
  const sent = SECRET_PARAMETERS.map((name) => readMember(query, name));
  if (sent.some((value) => value !== undefined && value !== false)) return chooseHigher(role, "editor");
  const isDryRun = readMember(query, "dryRun") === true || readMember(body, "dryRun") === true;
  return isDryRun ? chooseLower(role, "support") : role;
}

const chooseHigher = (one: Role, other: Role): Role => (includesRole(one, other) ? one : other);
const chooseLower = (one: Role, other: Role): Role => (includesRole(one, other) ? other : one);

export const hasDryRun = ({ query, body }: Endpoint): boolean =>
  [query, body].some((schema: TSchema | undefined) => readMember(readMember(schema, "properties"), "dryRun"));

const readMember = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
