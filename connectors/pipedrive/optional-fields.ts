/** Fields that Pipedrive returns only if they are named: `include_fields` of its client for Node.js, 32.2.1. */
export const OPTIONAL_FIELDS = {
  deals:
    "next_activity_id,last_activity_id,first_won_time,products_count,files_count,notes_count," +
    "followers_count,email_messages_count,activities_count,done_activities_count,undone_activities_count," +
    "participants_count,last_incoming_mail_time,last_outgoing_mail_time,smart_bcc_email,source_lead_id",
  persons:
    "next_activity_id,last_activity_id,open_deals_count,related_open_deals_count,closed_deals_count," +
    "related_closed_deals_count,participant_open_deals_count,participant_closed_deals_count," +
    "email_messages_count,activities_count,done_activities_count,undone_activities_count,files_count," +
    "notes_count,followers_count,won_deals_count,related_won_deals_count,lost_deals_count," +
    "related_lost_deals_count,last_incoming_mail_time,last_outgoing_mail_time,marketing_status,doi_status," +
    "smart_bcc_email",
  organizations:
    "next_activity_id,last_activity_id,open_deals_count,related_open_deals_count,closed_deals_count," +
    "related_closed_deals_count,email_messages_count,people_count,activities_count,done_activities_count," +
    "undone_activities_count,files_count,notes_count,followers_count,won_deals_count," +
    "related_won_deals_count,lost_deals_count,related_lost_deals_count,smart_bcc_email",
  activities: "attendees",
};
