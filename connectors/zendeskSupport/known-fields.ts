/** Fields of users and organisations that every account of Zendesk has. */
import type { KnownFields } from "../../connector-kit/declarative/rules/metadata-rules.ts";

const text = { type: "string" as const };
const flag = { type: "boolean" as const };

const common: KnownFields = {
  id: { type: "int", readOnly: true },
  url: { ...text, readOnly: true },
  name: { ...text, required: true },
  external_id: text,
  details: text,
  notes: text,
  tags: { type: "other" },
  created_at: { type: "datetime", readOnly: true },
  updated_at: { type: "datetime", readOnly: true },
};

export const userFields: KnownFields = {
  ...common,
  email: text,
  phone: text,
  role: { type: "singleSelect", values: ["end-user", "agent", "admin"] },
  alias: text,
  signature: text,
  locale: text,
  time_zone: text,
  organization_id: { type: "reference", refersTo: ["organizations"] },
  default_group_id: { type: "reference", refersTo: ["groups"] },
  ticket_restriction: {
    type: "singleSelect",
    values: ["organization", "groups", "assigned", "requested"],
  },
  verified: flag,
  suspended: flag,
  moderator: flag,
  active: { ...flag, readOnly: true },
  last_login_at: { type: "datetime", readOnly: true },
};

export const organizationFields: KnownFields = {
  ...common,
  domain_names: { type: "other" },
  group_id: { type: "reference", refersTo: ["groups"] },
  shared_tickets: flag,
  shared_comments: flag,
};
