/** The invitation as the API shows it. */
import { Type, type Static } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import type { InviteRow } from "../../store/people.ts";
import { OrgId } from "../members.ts";
import { RoleSchema } from "./org.ts";
import { CreateTime, times, UpdateTime } from "../times.ts";

export const InviteSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the invitation." }),
    invitedEmail: Type.String({ description: "The e-mail address that was invited." }),
    parentType: Type.Literal("org", { description: "Always `org`." }),
    parentId: OrgId,
    role: RoleSchema,
    status: Type.Enum(["pending", "accepted", "revoked", "expired"], {
      description: "`pending` until the invitation is accepted, revoked or expired (seven days).",
    }),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "Invite", description: "An invitation to an organisation." },
);
export const InviteParams = Type.Object({
  orgId: OrgId,
  inviteId: Type.String({ description: "Id of the invitation." }),
});

export const toInvite = (row: InviteRow): Static<typeof InviteSchema> => ({
  id: row.id,
  invitedEmail: row.invitedEmail,
  parentType: "org",
  parentId: row.orgId,
  role: row.role,
  status: row.status,
  ...times(row),
});

export const noInvite = (id: string): Problem =>
  new Problem("not-found", { detail: `This organisation has no open invitation \`${id}\`.` });
