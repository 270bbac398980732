/** The roles of people in an organisation. */

/** Each role includes those before it. */
export const ROLES = ["viewer", "support", "editor", "owner"] as const;

export type Role = (typeof ROLES)[number];

/** Returns whether somebody with the role `has` may do what needs the role `needed`. */
export const includesRole = (has: Role, needed: Role): boolean => ROLES.indexOf(has) >= ROLES.indexOf(needed);
