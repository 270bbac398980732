/** What the signed-in person may do in the organisation of the page. The API decides; this only explains beforehand. */
import { useCall } from "../api/queries.ts";
import { useShownProject } from "./project.ts";

const ORDER = ["viewer", "support", "editor", "owner"] as const;
export type Role = (typeof ORDER)[number];

/** Returns the person's role in the organisation of the page; undefined until it is known. */
export function useRole(): Role | undefined {
  const project = useShownProject();
  const me = useCall("getMyInfo", {}).data;
  if (!me || !project) return undefined;
  const found = rolesOf(me).find(({ org }) => org.id === project.orgId);
  const role = found?.role.replace("org:", "");
  return ORDER.find((one) => one === role);
}

/** Returns why the person may not do what needs this role, for `ActionButton`; undefined: they may. */
export function useReason(needed: Role): string | undefined {
  const role = useRole();
  if (!role || ORDER.indexOf(role) >= ORDER.indexOf(needed)) return undefined;
  return `This needs the role ${needed}; you are ${role}.`;
}

interface OrgRole {
  role: string;
  org: { id: string };
}

const rolesOf = (me: { orgRole?: OrgRole; orgRoles?: readonly OrgRole[] }): readonly OrgRole[] =>
  me.orgRoles ?? (me.orgRole ? [me.orgRole] : []);
