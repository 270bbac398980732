/** The API key as the API shows it: whole once, then only what tells it from the others. */
import { Type, type Static } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { findApiKey, lockFullKeys, type ApiKeyRow } from "../../store/api-keys.ts";
import type { Queries } from "../../store/database.ts";
import { ProjectId } from "../members.ts";
import { CreateTime, times, UpdateTime } from "../times.ts";

export const ScopesSchema = Type.Array(Type.Enum(["full", "frontend"]), { minItems: 1 });

export const ApiKeySchema = Type.Object(
  {
    id: Type.String({ description: "The key itself." }),
    key: Type.String({
      description:
        "The whole key in the answer that creates it, and nowhere else: later its beginning, such as `bb_AbCd…`.",
    }),
    label: Type.String({ description: "Name of the key." }),
    scopes: Type.Array(Type.String(), {
      description: "Scopes of the key: `full` for your server, `frontend` for browsers.",
    }),
    projectId: ProjectId,
    active: Type.Boolean({
      description: "Whether the key is active. Requests with an inactive key are refused.",
    }),
    signIn: Type.Optional(Type.Boolean({ description: "Whether it also signs a person in." })),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "ApiKey", description: "An API key. The key itself is its id." },
);

export const NameParams = Type.Object({
  apiKey: Type.String({
    description: "The whole key, its id, or what is shown of it if no other key shows that.",
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
  ...times(row),
});

/** Throws a 404 Problem; it does not repeat what was asked for, which may be a whole key. */
export async function getApiKeyRow(queries: Queries, projectId: string, named: string): Promise<ApiKeyRow> {
  const row = await findApiKey(queries, projectId, named);
  if (row) return row;
  throw new Problem("not-found", {
    detail: "This project has no such API key, or several that show this. Name it by its id.",
  });
}

/** A project whose last full key is gone could not be managed any more: throws a 409 Problem. */
export async function requireAnotherFullKey(queries: Queries, row: ApiKeyRow): Promise<void> {
  const others = (await lockFullKeys(queries, row.projectId)).filter(({ id }) => id !== row.id);
  if (others.length > 0 || !row.active || !row.scopes.includes("full")) return;
  throw new Problem("conflict", {
    detail: "This is the project's last active API key with the scope `full`. Create another one first.",
  });
}
