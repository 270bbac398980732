/** Keap's objects, version 2 of its API. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Keap", "https://api.infusionsoft.com", {
  authorize: "https://accounts.infusionsoft.com/app/oauth/authorize",
  token: "https://api.infusionsoft.com/token",
  declares: ["read", "write", "delete", "search"],
});

/** Members that answers have only if they are named. */
const contactFields =
  "id,addresses,anniversary_date,birth_date,company,contact_type,create_time,custom_fields,email_addresses,family_name,fax_numbers," +
  "given_name,job_title,leadsource_id,links,middle_name,notes,origin,owner_id,phone_numbers,preferred_locale,preferred_name,prefix," +
  "referral_code,score_value,social_accounts,source_type,spouse_name,suffix,tag_ids,time_zone,update_time,utm_parameters,website," +
  "account_id,assistant_name,assistant_phone,billing_information,created_by,groups,last_updated_by";
/** One company has its name and times without asking. */
const ofOneCompany = "address,custom_fields,email_address,fax_number,notes,phone_number,website";
const companyFields =
  "id,company_name,address,custom_fields,email_address,fax_number,notes,phone_number,website,create_time,update_time,anniversary_date," +
  "assistant_name,assistant_phone,billing_information,birth_date,contact_type,first_name,job_title,last_name,middle_name,preferred_name," +
  "owner_id,referral_code,spouse_name,suffix,title,groups,account_id,created_by,last_updated_by";

const OF_NOBODY = "user_id==UNASSIGNED";

const buildList = (fields: string, ofOne = fields): Pick<ObjectRules, "list" | "get"> => ({
  list: {
    path: "/crm/rest/v2/{path}",
    query: { fields },
    pageSize: { to: "query.page_size", most: 1000 },
  },
  get: { path: `/crm/rest/v2/{path}/{id}?fields=${ofOne}` },
});

export const description: Description = {
  ids: { pattern: "[0-9]{1,20}" },
  defaults: {
    list: { path: "/crm/rest/v2/{path}", pageSize: { to: "query.page_size", most: 1000 } },
    records: "{path}",
    paging: { cursor: { from: "next_page_token", to: "query.page_token" } },
    changedPath: "update_time",
    since: { to: "query.filter", template: "start_update_time=={since}" },
    create: { method: "POST", path: "/crm/rest/v2/{path}" },
    update: { method: "PATCH", path: "/crm/rest/v2/{path}/{id}" },
    delete: { method: "DELETE", path: "/crm/rest/v2/{path}/{id}" },
    get: { path: "/crm/rest/v2/{path}/{id}" },
  },
  objects: {
    contacts: {
      ...buildList(contactFields),
      // "Any item not listed here will be removed if it already exists", also of addresses and telephone numbers, of which callers write the whole list.
      update: {
        method: "PATCH",
        path: "/crm/rest/v2/{path}/{id}",
        keeps: [{ at: "custom_fields", by: "id" }],
      },
      example: { given_name: "Ada" },
    },
    companies: {
      ...buildList(companyFields, ofOneCompany),
      since: { to: "query.filter", template: "since_time=={since}" },
      example: { company_name: "Quill Ltd" },
    },
    tasks: {
      ...buildList("custom_fields"),
      changedPath: "modification_time",
      since: { to: "query.filter", template: "since_time=={since}" },
      // Keap does not say whether the list has tasks of nobody; it says how to ask for them. One that both lists have is read twice.
      furtherLists: [
        {
          list: {
            path: "/crm/rest/v2/{path}",
            query: { fields: "custom_fields", filter: OF_NOBODY },
            pageSize: { to: "query.page_size", most: 1000 },
          },
          since: { to: "query.filter", template: `${OF_NOBODY};since_time=={since}` },
        },
      ],
      example: { title: "Call Ada" },
    },
    tags: {
      since: { to: "query.filter", template: "since_update_time=={since}" },
      example: { name: "vip" },
    },
  },
  errors: { message: ["message", "fault.faultstring"], code: "fault.detail.errorcode" },
  sources: {
    documentation: "https://developer.infusionsoft.com/docs/restv2",
    checked:
      "2026-11-28, Keap’s OpenAPI file of 2026-08, in its SDK. An update of the addresses, telephone numbers or accounts of a contact replaces the whole list",
  },
};
