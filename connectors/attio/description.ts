/** Attio's records, whose values are lists of entries with a type, and its tasks and notes. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Attio", "https://api.attio.com", {
  authorize: "https://app.attio.com/authorize",
  token: "https://app.attio.com/oauth/token",
  declares: ["read", "write", "delete", "search", "subscribe"],
});

const upsert = {
  method: "PUT" as const,
  path: "/v2/objects/{path}/records?matching_attribute={key}",
  wrap: { in: "data.values" },
};

/**
 * Records of standard and own objects. PATCH adds to fields with several values; it does not replace them. `lists`: types whose fields
 * have several values in this object, also where there is one: the answer does not tell it.
 */
const describeRules = (lists: string[] = []): ObjectRules => ({
  list: {
    method: "POST",
    path: "/v2/objects/{path}/records/query",
    // Records keep their places while others change.
    body: { sorts: [{ attribute: "created_at", direction: "asc" }] },
    pageSize: { to: "body.limit", most: 500 },
  },
  paging: { offset: { to: "body.offset" } },
  idPath: "id.record_id",
  flatten: "values",
  typedValues: {
    type: "attribute_type",
    values: {
      text: "value",
      number: "value",
      checkbox: "value",
      date: "value",
      timestamp: "value",
      rating: "value",
      // The vendor's OpenAPI file has the id alone, too.
      select: "option.title|option",
      status: "status.title|status",
      currency: "currency_value",
      "email-address": "email_address",
      // So in the vendor's OpenAPI file; the second in the vendor's documentation.
      "phone-number": "phone_number|normalized_phone_number",
      domain: "domain",
      "personal-name": "full_name",
      "record-reference": "target_record_id",
      "actor-reference": "referenced_actor_id",
    },
    ...(lists.length > 0 && { lists }),
  },
  create: { method: "POST", path: "/v2/objects/{path}/records", wrap: { in: "data.values" } },
  update: { method: "PATCH", path: "/v2/objects/{path}/records/{id}", wrap: { in: "data.values" } },
  delete: { method: "DELETE", path: "/v2/objects/{path}/records/{id}" },
  get: { path: "/v2/objects/{path}/records/{id}", record: "data" },
  metadata: {
    list: {
      path: "/v2/objects/{path}/attributes",
      records: "data",
      paging: { offset: { to: "query.offset" } },
      skip: [{ paths: ["is_archived"], is: ["true"] }],
      name: "api_slug",
      label: "title",
      explanation: "description",
      type: "type",
      types: {
        text: "string",
        number: "float",
        checkbox: "boolean",
        currency: "float",
        date: "date",
        timestamp: "datetime",
        rating: "int",
        select: "singleSelect",
        status: "singleSelect",
        "email-address": "string",
        "phone-number": "string",
        domain: "string",
        "record-reference": "reference",
        "actor-reference": "reference",
      },
      readOnly: { paths: ["is_writable"], is: ["false"] },
      required: { paths: ["is_required"], is: ["true"] },
    },
  },
});

export const description: Description = {
  ids: { pattern: "[0-9a-f-]{36}" },
  defaults: {
    list: { path: "/v2/{path}", pageSize: { to: "query.limit", most: 50 } },
    records: "data",
    paging: { offset: { to: "query.offset" } },
    create: { method: "POST", path: "/v2/{path}", wrap: { in: "data" } },
    update: { method: "PATCH", path: "/v2/{path}/{id}", wrap: { in: "data" } },
    delete: { method: "DELETE", path: "/v2/{path}/{id}" },
    get: { path: "/v2/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: {
    people: {
      ...describeRules(["email-address", "phone-number"]),
      upsert: { ...upsert, keys: ["email_addresses"] },
      example: { job_title: "CTO" },
    },
    companies: {
      ...describeRules(["domain"]),
      upsert: { ...upsert, keys: ["domains"] },
      example: { name: "Quill Ltd" },
    },
    deals: { ...describeRules(), example: { name: "Pens" } },
    tasks: {
      list: {
        path: "/v2/tasks",
        query: { sort: "created_at:asc" },
        pageSize: { to: "query.limit", most: 500 },
      },
      idPath: "id.task_id",
      example: { content: "Call Ada" },
    },
    // A note cannot be changed.
    notes: {
      modes: ["read", "create", "delete"],
      idPath: "id.note_id",
      example: {
        parent_object: "people",
        parent_record_id: "891dcbfc-9141-415d-9b2a-2238a6cc012d",
        title: "Pens",
        format: "plaintext",
        content: "Ink",
      },
    },
  },
  others: {
    pattern: "[a-z][a-z0-9_]{0,62}",
    like: "pens",
    rules: { ...describeRules(), example: { name: "Pen" } },
  },
  errors: { message: ["message"], marks: ["code"], code: "code" },
  sources: {
    documentation: "https://docs.attio.com/rest-api/overview",
    checked:
      "2026-11-28, the vendor's OpenAPI file and the pages about types of attributes; facts.json names versions and where they disagree. An update adds to a field with several values, and takes none away",
  },
};
