/** The organisation and its people as the API shows them. */
import { Type, type Static } from "typebox";
import { ROLES } from "../../../ground/role.ts";
import type { Caller } from "../../http/endpoint.ts";
import { refuseNotOwn } from "../../http/require-role.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import {
  findOrganization,
  type BuilderRow,
  type MemberRow,
  type OrganizationRow,
} from "../../store/access/organizations.ts";
import { OrgId, CreateTime, toTimes, UpdateTime } from "../members.ts";

export const OrgSchema = Type.Object(
  {
    id: OrgId,
    label: Type.String({ description: "Name of the organisation." }),
    defaultTeamId: Type.String({
      description: "Id of the team that all people of the organisation belong to.",
    }),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "Organization", description: "An organisation, which owns projects." },
);

export const BuilderSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the person." }),
    idpProvider: Type.String({ description: "Issuer of the person's identity." }),
    idpRef: Type.String({ description: "The person's id at the issuer." }),
    createTime: CreateTime,
    firstName: Type.Optional(Type.String({ description: "First name." })),
    lastName: Type.Optional(Type.String({ description: "Last name." })),
    fullName: Type.Optional(Type.String({ description: "Full name." })),
    primaryEmail: Type.Optional(
      Type.String({ description: "E-mail address, verified by the token's issuer." }),
    ),
  },
  { title: "Builder", description: "A person who works on the organisation's projects." },
);

export const RoleSchema = Type.Enum([...ROLES], {
  description:
    "`viewer` reads without secrets; `support` also resends, checks and cancels; `editor` changes everything " +
    "in projects; `owner` also manages people and deletes projects.",
});

export const MemberSchema = Type.Object(
  { ...BuilderSchema.properties, role: RoleSchema },
  { title: "Member", description: "A person with the role in an organisation." },
);

export const OrgParams = Type.Object({ orgId: OrgId });
export const LabelSchema = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "Name of the organisation.",
});

export const toOrg = (row: OrganizationRow): Static<typeof OrgSchema> => ({
  id: row.id,
  label: row.label,
  defaultTeamId: row.defaultTeamId,
  ...toTimes(row),
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

export const toMember = (row: MemberRow): Static<typeof MemberSchema> => ({
  ...toBuilder(row),
  role: row.role,
});

/** Returns the caller's organisation. Throws a 403 Problem for any other, whether it exists or not. */
export async function getOwnOrg(
  queries: ControlQueries,
  caller: Caller,
  orgId: string,
): Promise<OrganizationRow> {
  const asked = orgId.toLowerCase();
  const isOwn = caller.roles ? caller.roles.has(asked) : caller.orgId === asked;
  const row = isOwn ? await findOrganization(queries, asked) : undefined;
  if (row) return row;
  throw refuseNotOwn(orgId);
}
