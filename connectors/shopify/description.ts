/** Shopify's admin objects, by GraphQL of the version 2026-07. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

const OFFLINE_TOKEN = "urn:shopify:params:oauth:token-type:offline-access-token";

/**
 * Tokens end after an hour and are refreshed: from 2027-01-01 Shopify refuses those of public apps that do not end, since 2026-04-01
 * those of new ones (shopify.dev/changelog, read on 2026-11-28). The exchange is that of Shopify's own library, @shopify/shopify-api 12.2.0.
 */
export const provider = oauth2("Shopify", "https://{{.workspace}}.myshopify.com", {
  authorize: "https://{{.workspace}}.myshopify.com/admin/oauth/authorize",
  token: "https://{{.workspace}}.myshopify.com/admin/oauth/access_token",
  tokenAuth: "body",
  needsScopes: true,
  oauth: {
    explicitWorkspaceRequired: true,
    scopeSeparator: ",",
    tokenParams: { expiring: "1" },
    tokenExchange: {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token_type: OFFLINE_TOKEN,
      requested_token_type: OFFLINE_TOKEN,
      expiring: "1",
    },
    accessTokenOpts: {
      attachmentType: "accessTokenHeaderAttachment",
      header: { name: "X-Shopify-Access-Token" },
    },
    docsURL: "https://shopify.dev/docs/api/admin-graphql#authentication",
  },
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "workspace",
      displayName: "Store",
      prompt: "The first part of your shop address: acme in acme.myshopify.com.",
      docsURL: "https://shopify.dev/docs/api/admin-graphql#endpoints",
    },
  ],
});

type Rules = NonNullable<ObjectRules["graphql"]>;

/** Mutations are named after the record; inputs hold its id. */
const describeGraphql = (
  list: string,
  record: string,
  fields: string[],
  writes: Pick<Rules, "create" | "update" | "delete">,
  filter = "",
): Rules => ({
  list,
  get: record,
  fields,
  since: { argument: "query", type: "String", template: `updated_at:>='{since}'${filter}` },
  ...writes,
});

const PATH = "/admin/api/2026-07/graphql.json";

const EVENTS =
  "query($first:Int!,$after:String,$query:String){events(first:$first,after:$after,query:$query)" +
  "{nodes{action createdAt ...on BasicEvent{subjectId}} pageInfo{hasNextPage endCursor}}}";

/** Events are kept for a year. */
const readToldDeletions = (subject: string): Pick<ObjectRules, "furtherLists"> => ({
  furtherLists: [
    {
      list: {
        method: "POST",
        path: PATH,
        body: { query: EVENTS },
        pageSize: { to: "body.variables.first", most: 250 },
      },
      records: "data.events.nodes",
      paging: {
        cursor: {
          from: "data.events.pageInfo.endCursor",
          to: "body.variables.after",
          more: "data.events.pageInfo.hasNextPage",
        },
      },
      idPath: "subjectId",
      changedPath: "createdAt",
      since: {
        to: "body.variables.query",
        format: "rfc3339-seconds",
        template: `created_at:>='{since}' action:destroy subject_type:${subject} comments:false`,
        oldestDays: 365,
      },
      deleted: true,
      where: { at: "action", is: "destroy" },
      mayBeForbidden: true,
    },
  ],
});

export const description: Description = {
  ids: { pattern: "gid://shopify/[A-Za-z]+/[0-9]+" },
  graphql: {
    path: PATH,
    id: "ID!",
    payload: "userErrors{field message}",
    most: 100,
  },
  defaults: { changedPath: "updatedAt", since: { format: "rfc3339-seconds" } },
  objects: {
    customers: {
      ...readToldDeletions("CUSTOMER"),
      graphql: describeGraphql("customers", "customer", ["firstName", "lastName", "displayName", "note"], {
        create: { field: "customerCreate", input: "CustomerInput!" },
        update: { field: "customerUpdate", input: "CustomerInput!", idInInput: true },
        delete: { field: "customerDelete", input: "CustomerDeleteInput!", idInInput: true },
      }),
      example: { firstName: "Ada", email: "ada@example.com" },
    },
    // The schema names active products as the default of the filter: all are named, in reads of all products, too.
    products: {
      ...readToldDeletions("PRODUCT"),
      since: { format: "rfc3339-seconds", full: "1970-01-01T00:00:00Z" },
      graphql: describeGraphql(
        "products",
        "product",
        ["title", "handle", "status", "vendor"],
        {
          create: { field: "productCreate", input: "ProductCreateInput!", argument: "product" },
          update: {
            field: "productUpdate",
            input: "ProductUpdateInput!",
            argument: "product",
            idInInput: true,
          },
          delete: { field: "productDelete", input: "ProductDeleteInput!", idInInput: true },
        },
        " status:active,archived,draft,unlisted",
      ),
      example: { title: "Pen" },
    },
    collections: {
      ...readToldDeletions("COLLECTION"),
      graphql: describeGraphql("collections", "collection", ["title", "handle"], {
        create: { field: "collectionCreate", input: "CollectionCreateInput!", argument: "collection" },
        update: {
          field: "collectionUpdate",
          input: "CollectionUpdateInput!",
          argument: "collection",
          idInInput: true,
        },
        delete: { field: "collectionDelete", input: "CollectionDeleteInput!", idInInput: true },
      }),
      example: { title: "Pens" },
    },
    draftOrders: {
      ...readToldDeletions("DRAFT_ORDER"),
      graphql: describeGraphql("draftOrders", "draftOrder", ["name", "status"], {
        create: { field: "draftOrderCreate", input: "DraftOrderInput!" },
        update: { field: "draftOrderUpdate", input: "DraftOrderInput!" },
        delete: { field: "draftOrderDelete", input: "DraftOrderDeleteInput!", idInInput: true },
      }),
      example: { note: "Pens" },
    },
    orders: {
      ...readToldDeletions("ORDER"),
      modes: ["read", "update"],
      graphql: describeGraphql("orders", "order", ["name", "note", "createdAt"], {
        update: { field: "orderUpdate", input: "OrderInput!", idInInput: true },
      }),
    },
  },
  errors: {
    message: ["errors.*.message", "data.*.userErrors.*.message", "errors"],
    code: "errors.0.extensions.code",
    codes: {
      THROTTLED: "rate_limited",
      ACCESS_DENIED: "forbidden",
      SHOP_INACTIVE: "forbidden",
      RESOURCE_NOT_FOUND: "not_found",
    },
    texts: {
      "does not exist": "not_found",
      "Customer can't be found": "not_found",
      "Draft order not found": "not_found",
    },
  },
  sources: {
    documentation: "https://shopify.dev/docs/api/admin-graphql",
    checked:
      "2026-11-28, schema of the version 2026-07, which Shopify supports until July 2027, and recorded answers of a shop; how a draft order that is gone is refused was not found. Deletions are events, which Shopify keeps for a year. Connections of public apps that were made before Busbar asked for tokens that end must be refreshed once by force, or made again, before 2027-01-01: Shopify refuses their tokens then; the old token ends by that",
  },
};
