/** The organisation and its people as the API shows them. */
import { Type, type Static } from "typebox";
import { Problem } from "../../ground/errors.ts";
import type { Caller } from "../../http/endpoint.ts";
import type { Queries } from "../../store/database.ts";
import { findOrganization, type BuilderRow, type OrganizationRow } from "../../store/organizations.ts";
import { times, TimeSchema } from "../times.ts";

export const OrgSchema = Type.Object(
  {
    id: Type.String(),
    label: Type.String(),
    defaultTeamId: Type.String(),
    createTime: TimeSchema,
    updateTime: Type.Optional(TimeSchema),
  },
  { title: "Organization" },
);

export const BuilderSchema = Type.Object(
  {
    id: Type.String(),
    idpProvider: Type.String({ description: "Where the person signs in." }),
    idpRef: Type.String({ description: "How they are called there." }),
    createTime: TimeSchema,
    firstName: Type.Optional(Type.String()),
    lastName: Type.Optional(Type.String()),
    fullName: Type.Optional(Type.String()),
    primaryEmail: Type.Optional(Type.String()),
  },
  { title: "Builder" },
);

export const OrgParams = Type.Object({ orgId: Type.String() });
export const LabelSchema = Type.String({ minLength: 1, maxLength: 255 });

export const toOrg = (row: OrganizationRow): Static<typeof OrgSchema> => ({
  id: row.id,
  label: row.label,
  defaultTeamId: row.defaultTeamId,
  ...times(row),
});

export function toBuilder(row: BuilderRow): Static<typeof BuilderSchema> {
  const { firstName, lastName, fullName, primaryEmail } = row;
  return {
    id: row.id,
    idpProvider: row.idpProvider,
    idpRef: row.idpRef,
    createTime: row.createTime.toISOString(),
    ...(firstName !== null && { firstName }),
    ...(lastName !== null && { lastName }),
    ...(fullName !== null && { fullName }),
    ...(primaryEmail !== null && { primaryEmail }),
  };
}

/** The caller's own organisation; another one is refused with 403, whether it exists or not. */
export async function getOwnOrg(queries: Queries, caller: Caller, orgId: string): Promise<OrganizationRow> {
  const own = (caller.orgIds ?? [caller.orgId]).find((id) => id === orgId.toLowerCase());
  const row = own ? await findOrganization(queries, own) : undefined;
  if (row) return row;
  throw new Problem("forbidden", {
    detail: `This credential does not belong to the organisation \`${orgId}\`. Use one that does.`,
  });
}
