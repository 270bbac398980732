// Lists of the account: search with their own kind of offset, and one list by id.

import { asText, type Data, type SandboxAnswer } from "../exchange.ts";
import type { Router } from "../router.ts";
import { refuseInvalid, refuseNotFound, requireMembers } from "./errors.ts";
import { parseObject } from "./record-writes.ts";

const MAX_PER_PAGE = 500;

export function addListRoutes(router: Router): void {
  router.add("POST", "/crm/v3/lists/search", (exchange) => {
    const body = parseObject(exchange.body);
    if (exchange.dated === true)
      requireMembers("ListSearchRequest", body, [
        "additionalProperties",
        "listIds",
        "offset",
        "processingTypes",
      ]);
    return search(body, LISTS);
  });
  router.add("GET", "/crm/v3/lists/:id", (exchange) => {
    const found = LISTS.find(({ listId }) => listId === exchange.params["id"]);
    if (found === undefined) throw refuseNotFound();
    return { status: 200, body: { list: found } };
  });
}

/** Searches lists. The `offset` of the answer is where the next page begins. */
function search(body: Data, lists: Data[]): SandboxAnswer {
  const count = body["count"] === undefined ? 20 : Number(body["count"]);
  const offset = body["offset"] === undefined ? 0 : Number(body["offset"]);
  if (!Number.isInteger(count) || count < 1 || count > MAX_PER_PAGE) {
    throw refuseInvalid(`count must be between 1 and ${MAX_PER_PAGE}`);
  }
  if (!Number.isInteger(offset) || offset < 0) throw refuseInvalid("offset must not be negative");
  const query = (asText(body["query"]) ?? "").toLowerCase();
  const found = lists.filter((one) => String(one["name"]).toLowerCase().includes(query));
  const page = found.slice(offset, offset + count);
  const next = offset + page.length;
  return {
    status: 200,
    body: { lists: page, hasMore: next < found.length, offset: next, total: found.length },
  };
}

const FROM = "2026-01-05T09:00:00.000Z";

function list(
  listId: string,
  name: string,
  processingType: string,
  objectTypeId: string,
): Data & { listId: string } {
  return {
    listId,
    listVersion: 1,
    name,
    objectTypeId,
    processingType,
    processingStatus: "COMPLETE",
    createdById: "4100",
    updatedById: "4100",
    createdAt: FROM,
    updatedAt: FROM,
    filtersUpdatedAt: FROM,
    additionalProperties: {},
  };
}

const LISTS = [
  list("1", "Customers", "DYNAMIC", "0-1"),
  list("2", "Newsletter", "MANUAL", "0-1"),
  list("3", "Partners", "MANUAL", "0-2"),
];
