/** monday.com: items of any board, updates, boards and people, by GraphQL. Documents are fixed, and values are variables. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { columnTypes, columnValues } from "./column-types.ts";
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

/** The key is sent without a prefix. The version makes all errors have one form. */
export const provider = headerKey("Monday", "https://api.monday.com", "Authorization", {
  docs: "https://developer.monday.com/api-reference/docs/authentication",
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [{ name: "API-Version", valueTemplate: "2026-10" }],
});

const path = "/v2";
const id = "body.variables.id";
/**
 * Columns that lead to other items have neither text nor value: only these members, which have to be named, tell the items. So it is with a
 * status that rolls up, also of an item with none below it.
 */
const linked =
  "...on BoardRelationValue{display_value linked_item_ids} ...on DependencyValue{display_value linked_item_ids} " +
  "...on MirrorValue{display_value} ...on SubtasksValue{display_value subitems_ids} ...on BatteryValue{battery_value{key count}}";
/** Columns that roll up have no values otherwise. Items below others of a classic board are on a board of their own, of the type `sub_items_board`. */
const item =
  "id name state created_at updated_at creator_id group{id title} parent_item{id} " +
  `column_values(capabilities:[CALCULATED]){id type text value ${linked}}`;

/** A page of a board's items. On a board with several levels, the list has those at the top only, unless it is asked for all. */
const listItemsPage = (boards: string, further = "") =>
  `query($boards:[ID!],$limit:Int!,$cursor:String){boards(ids:$boards${boards})` +
  `{hierarchy_type items_page(limit:$limit,cursor:$cursor${further}){cursor items{${item}}}}}`;

const buildMutation = (query: string) => ({ method: "POST" as const, path, body: { query } });

/** Records by their ids. `constant`: further arguments, each after a comma. */
const getSingle = (list: string, fields: string, constant = ""): ObjectRules["get"] => ({
  method: "POST",
  path,
  body: { query: `query($ids:[ID!]){${list}(ids:$ids${constant}){${fields}}}` },
  idTo: "body.variables.ids.0",
  record: `data.${list}.0`,
});

/** A list by number of page. */
const listPages = (list: string, fields: string, constant: string, most = 100): ObjectRules => ({
  list: {
    method: "POST",
    path,
    body: {
      query: `query($limit:Int!,$page:Int!){${list}(limit:$limit,page:$page${constant}){${fields}}}`,
    },
    pageSize: { to: "body.variables.limit", most },
  },
  records: `data.${list}`,
  paging: { page: { to: "body.variables.page", first: 1, anySize: true } },
  get: getSingle(list, fields, constant),
});

/** Only active ones are listed otherwise. The order by their last use would change while pages are read. */
const ALL_STATES = ",state:all,order_by:created_at";
/** A list has classic boards only otherwise. */
const ALL_BOARDS = `${ALL_STATES},hierarchy_types:[classic,multi_level]`;
const deleted = { at: "state", is: "deleted" };

export const description: Description = {
  ids: { pattern: "[0-9]{1,20}" },
  defaults: { modes: ["read"] },
  objects: {
    boards: {
      ...listPages(
        "boards",
        "id name description state board_kind type hierarchy_type workspace_id updated_at",
        ALL_BOARDS,
      ),
      deleted,
      modes: ["read", "create", "delete"],
      changedPath: "updated_at",
      create: {
        ...buildMutation(
          "mutation($name:String!,$board_kind:BoardKind!,$description:String,$workspace_id:ID)" +
            "{create_board(board_name:$name,board_kind:$board_kind,description:$description,workspace_id:$workspace_id){id}}",
        ),
        wrap: { in: "variables" },
        id: "data.create_board.id",
      },
      delete: { ...buildMutation("mutation($id:ID!){delete_board(board_id:$id){id}}"), idTo: id },
      example: { name: "Pens", board_kind: "public" },
    },
    updates: {
      ...listPages(
        "updates",
        "id item_id body text_body creator_id created_at edited_at updated_at replies{id body text_body creator_id created_at}",
        "",
      ),
      modes: ["read", "create", "update", "delete"],
      changedPath: "updated_at",
      create: {
        ...buildMutation(
          "mutation($item_id:ID,$parent_id:ID,$body:String!)" +
            "{create_update(item_id:$item_id,parent_id:$parent_id,body:$body){id}}",
        ),
        wrap: { in: "variables" },
        id: "data.create_update.id",
      },
      update: {
        ...buildMutation("mutation($id:ID!,$body:String!){edit_update(id:$id,body:$body){id}}"),
        wrap: { in: "variables" },
        idTo: id,
        empty: true,
      },
      delete: { ...buildMutation("mutation($id:ID!){delete_update(id:$id){id}}"), idTo: id },
      example: { item_id: "9876543210", body: "Asked for pens" },
    },
    users: {
      ...listPages(
        "users",
        "id name email title status kind is_deleted created_at",
        ",status:[ACTIVE,PENDING,INACTIVE],sort:[{field:CREATED_AT,direction:ASC}]",
        500,
      ),
      get: getSingle(
        "users",
        "id name email title status kind is_deleted created_at",
        ",status:[ACTIVE,PENDING,INACTIVE]",
      ),
    },
    workspaces: {
      ...listPages("workspaces", "id name kind description state created_at", ALL_STATES),
      deleted,
    },
    teams: {
      list: { method: "POST", path, body: { query: "query{teams{id name picture_url}}" } },
      records: "data.teams",
      paging: { none: true },
      get: getSingle("teams", "id name picture_url"),
    },
  },
  others: {
    pattern: "[0-9]{6,20}",
    like: "1234567890",
    rules: {
      modes: ["read", "create", "update", "delete"],
      list: {
        method: "POST",
        path,
        body: { query: listItemsPage(""), "variables.boards.0": "{path}" },
        pageSize: { to: "body.variables.limit", most: 500 },
      },
      records: "data.boards.0.items_page.items",
      furtherLists: [
        {
          when: "data.boards.0.hierarchy_type=multi_level",
          body: {
            query: listItemsPage(",hierarchy_types:[multi_level]", ',hierarchy_scope_config:"allItems"'),
          },
          records: "data.boards.*.items_page.items",
          where: { at: "parent_item.id" },
        },
      ],
      paging: { cursor: { from: "data.boards.0.items_page.cursor", to: "body.variables.cursor" } },
      changedPath: "updated_at",
      flatten: "column_values",
      flattenBy: "id",
      typedValues: columnValues,
      create: {
        method: "POST",
        path,
        body: {
          query:
            "mutation($board:ID!,$name:String!,$columns:JSON)" +
            "{create_item(board_id:$board,item_name:$name,column_values:$columns){id}}",
          "variables.board": "{path}",
        },
        fieldsTo: { name: "body.variables.name" },
        wrap: { in: "variables.columns", text: true },
        id: "data.create_item.id",
      },
      update: {
        method: "POST",
        path,
        body: {
          query:
            "mutation($board:ID!,$id:ID!,$columns:JSON!)" +
            "{change_multiple_column_values(board_id:$board,item_id:$id,column_values:$columns){id}}",
          "variables.board": "{path}",
        },
        wrap: { in: "variables.columns", text: true },
        idTo: id,
        empty: true,
      },
      delete: { ...buildMutation("mutation($id:ID!){delete_item(item_id:$id){id}}"), idTo: id },
      get: getSingle("items", item),
      metadata: {
        label: "Item",
        fields: { name: { type: "string", required: true } },
        list: {
          method: "POST",
          path,
          body: {
            query: "query($boards:[ID!]){boards(ids:$boards){columns{id title type}}}",
            "variables.boards.0": "{path}",
          },
          records: "data.boards.0.columns",
          // The first column is the name.
          skip: [{ paths: ["id"], is: ["name"] }],
          name: "id",
          label: "title",
          type: "type",
          types: columnTypes,
        },
      },
      example: { name: "Ada", status: "Done" },
    },
  },
  errors: {
    refusedBy: "errors",
    message: ["errors.*.message"],
    code: "errors.0.extensions.code",
    codes: {
      UserUnauthorizedException: "forbidden",
      USER_UNAUTHORIZED: "forbidden",
      ResourceNotFoundException: "not_found",
      InvalidBoardIdException: "not_found",
      InvalidItemIdException: "not_found",
      ComplexityException: "rate_limited",
      COMPLEXITY_BUDGET_EXHAUSTED: "rate_limited",
      FIELD_MINUTE_RATE_LIMIT_EXCEEDED: "rate_limited",
      DAILY_LIMIT_EXCEEDED: "rate_limited",
      maxConcurrencyExceeded: "rate_limited",
      IP_RATE_LIMIT_EXCEEDED: "rate_limited",
      // Comes with status 200, and tells nothing of what was done before.
      INTERNAL_SERVER_ERROR: "unknown_outcome",
    },
  },
  limits: { waitSeconds: 30 },
  sources: {
    documentation: "https://developer.monday.com/api-reference",
    checked:
      "2026-11-29, schema of the version 2026-10; documentation: lists of boards, pages of items, form and headers of errors; that columns take plain texts, and the codes of records that are gone, were not looked up. Columns have their ids as names; an update of an item names it `name`. A cell that rolls up others cannot be written: monday.com answers with a success, and changes nothing. Items below others of a classic board are the items of a board of its own, whose type is `sub_items_board`; each tells its `parent_item`. Those of a board with several levels are read with the board, by a second list; a status that rolls up is the number of items with each label's index",
  },
};
