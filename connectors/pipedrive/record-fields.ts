/**
 * Members of records of version 2 of Pipedrive's API, under the names that they have there: `deal.ts`, `add-person-request.ts`,
 * `organization-item.ts` and `activity-item.ts` of its client for Node.js, 32.2.1 (97e5382, 2026-04-20).
 */
import type { MetadataRules } from "../../connector-kit/declarative/rules/metadata-rules.ts";

type Fields = NonNullable<MetadataRules["fields"]>;

const text = { type: "string" } as const;
const whole = { type: "int" } as const;
const decimal = { type: "float" } as const;
const flag = { type: "boolean" } as const;
const day = { type: "date" } as const;
const moment = { type: "datetime" } as const;
const reference = { type: "reference" } as const;
const other = { type: "other" } as const;

export const RECORD_FIELDS = {
  deals: {
    title: text,
    owner_id: reference,
    person_id: reference,
    org_id: reference,
    pipeline_id: reference,
    stage_id: reference,
    value: decimal,
    currency: text,
    add_time: moment,
    update_time: moment,
    stage_change_time: moment,
    is_deleted: flag,
    is_archived: flag,
    status: text,
    probability: decimal,
    lost_reason: text,
    visible_to: whole,
    close_time: moment,
    won_time: moment,
    lost_time: moment,
    expected_close_date: day,
    label_ids: other,
    origin: text,
    origin_id: text,
    channel: whole,
    channel_id: text,
    source_lead_id: text,
    arr: decimal,
    mrr: decimal,
    acv: decimal,
  },
  persons: {
    name: text,
    owner_id: reference,
    org_id: reference,
    add_time: moment,
    update_time: moment,
    emails: other,
    phones: other,
    visible_to: whole,
    label_ids: other,
    marketing_status: text,
    doi_status: other,
  },
  organizations: {
    name: text,
    owner_id: reference,
    add_time: moment,
    update_time: moment,
    is_deleted: flag,
    visible_to: whole,
    address: other,
    label_ids: other,
  },
  activities: {
    subject: text,
    type: text,
    owner_id: reference,
    creator_user_id: reference,
    is_deleted: flag,
    add_time: moment,
    update_time: moment,
    deal_id: reference,
    lead_id: text,
    person_id: reference,
    org_id: reference,
    project_id: reference,
    due_date: day,
    due_time: text,
    duration: text,
    busy: flag,
    done: flag,
    marked_as_done_time: moment,
    location: other,
    participants: other,
    attendees: other,
    conference_meeting_client: text,
    conference_meeting_url: text,
    conference_meeting_id: text,
    public_description: text,
    priority: whole,
    note: text,
  },
} satisfies Record<string, Fields>;
