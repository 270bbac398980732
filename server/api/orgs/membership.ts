/** One membership of an organisation: found by the person, and protected while it is the last owner's. */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { isUuid } from "../../../ground/ids.ts";
import type { Queries } from "../../store/database.ts";
import { findMember, lockOwners, type MemberRow } from "../../store/organizations.ts";
import { OrgId } from "../members.ts";

export const MembershipParams = Type.Object({
  orgId: OrgId,
  builderId: Type.String({ description: "Id of the person." }),
});

/** Throws a 404 Problem. */
export async function getMember(queries: Queries, orgId: string, builderId: string): Promise<MemberRow> {
  const row = isUuid(builderId) ? await findMember(queries, orgId, builderId.toLowerCase()) : undefined;
  if (row) return row;
  throw new Problem("not-found", { detail: `This organisation has no member \`${builderId}\`.` });
}

/** Throws a 409 Problem: nobody could manage people and domains any more. */
export async function requireAnotherOwner(queries: Queries, orgId: string, builderId: string): Promise<void> {
  const owners = await lockOwners(queries, orgId);
  if (owners.some((owner) => owner.builderId !== builderId)) return;
  if (!owners.some((owner) => owner.builderId === builderId)) return;
  throw new Problem("conflict", {
    detail: "This is the organisation's last owner. Make another member an owner first.",
  });
}
