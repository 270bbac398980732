/** What the signed-in person may do in the organisation of the page. The API decides; this only explains beforehand. */
import { useParams } from "@tanstack/react-router";
import { useCall } from "../../api/queries.ts";
import { useShownProject } from "../project.ts";

export const ROLES = ["viewer", "support", "editor", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** Returns the person's role in the organisation of the page; undefined until it is known. */
function useRole(): Role | undefined {
  const { org } = useParams({ strict: false });
  const project = useShownProject();
  const me = useCall("getMyInfo", {}).data;
  const orgId = org ?? project?.orgId;
  if (!me || orgId === undefined) return undefined;
  const found = listRoles(me).find((one) => one.org.id === orgId);
  const role = found?.role.replace("org:", "");
  return ROLES.find((one) => one === role);
}

/** Returns why the person may not do what needs this role, for `ActionButton`; undefined: they may. */
export function useReason(needed: Role): string | undefined {
  const role = useRole();
  if (!role || ROLES.indexOf(role) >= ROLES.indexOf(needed)) return undefined;
  return `This needs the role ${needed}; you are ${role}.`;
}

interface OrgRole {
  role: string;
  org: { id: string };
}

const listRoles = (me: { orgRole?: OrgRole; orgRoles?: readonly OrgRole[] }): readonly OrgRole[] =>
  me.orgRoles ?? (me.orgRole ? [me.orgRole] : []);
