/** The API key as the API shows it: complete on creation, later only its beginning. */
import { Type, type Static } from "typebox";
import { nowMs } from "../../../ground/clock.ts";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { memberProblem } from "../../../ground/member-problem.ts";
import { findApiKey, lockFullKeys, type ApiKeyRow } from "../../store/api-keys.ts";
import type { Queries } from "../../store/database.ts";
import { ProjectId } from "../members.ts";
import { CreateTime, times, UpdateTime } from "../times.ts";

export const ScopesSchema = Type.Array(
  Type.Enum(["full", "frontend", "write", "read", "proxy", "read-only"]),
  { minItems: 1 },
);

export const RateLimitSchema = Type.Object(
  {
    requestsPerSecond: Type.Number({
      minimum: 0.01,
      maximum: 100_000,
      description: "Requests per second on average, in each process of this Busbar.",
    }),
    burst: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: "Requests at once after a pause. Default: those of one second.",
      }),
    ),
  },
  { title: "ApiKeyRateLimit", description: "How often a key may be used." },
);

export const ApiKeySchema = Type.Object(
  {
    id: Type.String({ description: "The key itself." }),
    key: Type.String({
      description: "The complete key on creation; later only its beginning, for example `bb_AbCd…`.",
    }),
    label: Type.String({ description: "Name of the key." }),
    scopes: Type.Array(Type.String(), {
      description:
        "Scopes of the key: `full` for your server, `frontend` for browsers; `write`, `read` and `proxy` for these " +
        "calls alone, `read-only` to look at everything but secrets.",
    }),
    projectId: ProjectId,
    active: Type.Boolean({
      description: "Whether the key is active. Requests with an inactive key are refused.",
    }),
    signIn: Type.Optional(Type.Boolean({ description: "Whether a person can sign in with the key." })),
    expireTime: Type.Optional(
      Type.String({ format: "date-time", description: "When the key expires. Absent: never." }),
    ),
    allowedAddresses: Type.Optional(
      Type.Array(Type.String(), { description: "Addresses and networks that may use the key. Absent: all." }),
    ),
    rateLimit: Type.Optional(described(RateLimitSchema, "Rate limit of the key. Absent: none.")),
    lastUsedTime: Type.Optional(
      Type.String({
        format: "date-time",
        description: "When the key was last used, accurate to about a minute. Absent: never.",
      }),
    ),
    createdBy: Type.Optional(
      Type.String({
        description: "Who created the key: `builder:<id>`, `apiKey:<id>` or `system`. Absent for old keys.",
      }),
    ),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "ApiKey", description: "An API key. The key itself is its id." },
);

/** Returns the end of a key. Throws a 400 Problem for one in the past. */
export function futureTime(expireTime: string, name: string): Date {
  const time = new Date(expireTime);
  if (time.getTime() > nowMs()) return time;
  throw memberProblem(name, "must be in the future", { value: expireTime });
}

export const NameParams = Type.Object({
  apiKey: Type.String({
    description: "The complete key, its id, or its beginning if that is unique.",
  }),
});

export const toApiKey = (row: ApiKeyRow, whole?: string): Static<typeof ApiKeySchema> => ({
  id: row.id,
  key: whole ?? row.hint,
  label: row.label,
  scopes: row.scopes,
  projectId: row.projectId,
  active: row.active,
  ...(row.builderId !== null && { signIn: true }),
  ...(row.expireTime && { expireTime: row.expireTime.toISOString() }),
  ...(row.allowedAddresses.length > 0 && { allowedAddresses: row.allowedAddresses }),
  ...(row.requestsPerSecond !== null && {
    rateLimit: { requestsPerSecond: row.requestsPerSecond, burst: row.burst ?? 1 },
  }),
  ...(row.lastUsedTime && { lastUsedTime: row.lastUsedTime.toISOString() }),
  ...(row.createdBy !== null && { createdBy: row.createdBy }),
  ...times(row),
});

/** Throws a 404 Problem. It does not repeat the given value, which may be a complete key. */
export async function getApiKeyRow(queries: Queries, projectId: string, named: string): Promise<ApiKeyRow> {
  const row = await findApiKey(queries, projectId, named);
  if (row) return row;
  throw new Problem("not-found", {
    detail: "This project has no such API key, or several with this beginning. Use the id of the key.",
  });
}

/** Throws a 409 Problem: without its last full key, a project could not be managed. */
export async function requireAnotherFullKey(queries: Queries, row: ApiKeyRow): Promise<void> {
  const others = (await lockFullKeys(queries, row.projectId)).filter(({ id }) => id !== row.id);
  if (others.length > 0 || !row.active || !row.scopes.includes("full") || row.expireTime) return;
  throw new Problem("conflict", {
    detail:
      "This is the project's last active API key with the scope `full` that does not expire. Create another one first.",
  });
}
