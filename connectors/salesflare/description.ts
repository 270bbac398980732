/** Salesflare's accounts, contacts, opportunities, tasks and users. An update by PUT changes only the fields it names; writes answer with an id. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Salesflare", "https://api.salesflare.com", {
  docs: "https://api.salesflare.com/docs#section/Introduction/Authentication",
  declares: ["read", "write", "delete", "search"],
});

const pageSize = { to: "query.limit", most: 100 };

export const description: Description = {
  ids: { number: true },
  defaults: {
    // A page has 10 or 20 records where no size is asked for; the scan ends at an empty one.
    list: { path: "/{path}", pageSize },
    paging: { offset: { to: "query.offset" } },
    changedPath: "modification_date",
    // Only contacts know a bound of the last change: the other records are compared here.
    create: { method: "POST", path: "/{path}", id: "id" },
    update: { method: "PUT", path: "/{path}/{id}", empty: true },
    delete: { method: "DELETE", path: "/{path}/{id}" },
    get: { path: "/{path}/{id}" },
  },
  objects: {
    contacts: {
      list: { path: "/{path}", query: { includeArchived: "true" }, pageSize },
      since: { to: "query.modification_after" },
      example: { firstname: "Ada", email: "ada@example.com" },
    },
    accounts: { example: { name: "Quill Ltd" } },
    opportunities: { example: { name: "Pens", account: 1 } },
    // Tasks of people who have left are found by them.
    users: { modes: ["read"], list: { path: "/{path}", query: { onlyEnabled: "false" }, pageSize } },
    // A list without users has the tasks of the connected one. A task of several users is in the lists of all of them.
    tasks: {
      parent: { object: "users" },
      list: { path: "/{path}?assignees={parent}", pageSize },
      // There is no address of one task.
      get: { path: "/{path}?id={id}", record: "0" },
      example: { description: "Call Ada" },
    },
  },
  errors: { message: ["message"], marks: ["statusCode"] },
  sources: {
    documentation: "https://api.salesflare.com/docs",
    checked:
      "2026-11-28, Salesflare's OpenAPI file of 2026-08-22: addresses, verbs, parameters, answers to writes, whose tasks a list has; sizes and refusals by others; orders unchecked",
  },
};
