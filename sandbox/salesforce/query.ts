// The query endpoints: SOQL in, pages of records out.

import { header, type SandboxAnswer, type Data, type SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import { refuse } from "./errors.ts";
import { API, type OrgSource } from "./sobjects.ts";
import { parseSoql } from "./soql-parse.ts";
import { runQuery, type Found } from "./soql-run.ts";

type Cursor = { found: Found; kind: string };

const DEFAULT_PAGE = 2000;
const MOST_CURSORS = 50;

export function addQueryRoutes(router: Router, org: OrgSource): void {
  const cursors = new Map<string, Cursor>();
  let next = 1;
  for (const kind of ["query", "queryAll"]) {
    router.add("GET", `${API}/${kind}`, (exchange) => {
      const text = exchange.query.get("q") ?? "";
      const query = parseSoql(text);
      const found = runQuery(org(), query, text, kind === "queryAll");
      if (query.count)
        return { status: 200, body: { totalSize: found.records.length, done: true, records: [] } };
      const name = `01gSb00000${String(next++).padStart(8, "0")}`;
      return page({ found, kind }, name, 0, exchange, cursors);
    });
    router.add("GET", `${API}/${kind}/:locator`, (exchange) => {
      const [name = "", start = ""] = (exchange.params["locator"] ?? "").split("-");
      const cursor = cursors.get(name);
      if (cursor === undefined || !/^\d+$/.test(start)) {
        throw refuse(400, "INVALID_QUERY_LOCATOR", "invalid query locator");
      }
      return page(cursor, name, Number(start), exchange, cursors);
    });
  }
}

function page(
  cursor: Cursor,
  name: string,
  start: number,
  exchange: SandboxExchange,
  cursors: Map<string, Cursor>,
): SandboxAnswer {
  const { records, show } = cursor.found;
  const size = pageSize(exchange);
  const version = exchange.params["version"] ?? "v60.0";
  const end = start + size;
  const body: Data = {
    totalSize: records.length,
    done: end >= records.length,
    records: records.slice(start, end).map((record) => show(record, version)),
  };
  if (end >= records.length) {
    cursors.delete(name);
    return { status: 200, body };
  }
  cursors.set(name, cursor);
  const [oldest] = cursors.keys();
  if (cursors.size > MOST_CURSORS && oldest !== undefined) cursors.delete(oldest);
  return {
    status: 200,
    body: { ...body, nextRecordsUrl: `/services/data/${version}/${cursor.kind}/${name}-${end}` },
  };
}

/** `Sforce-Query-Options: batchSize=200…2000`. */
function pageSize(exchange: SandboxExchange): number {
  const wanted = Number(
    /batchSize\s*=\s*(\d+)/i.exec(header(exchange, "sforce-query-options"))?.[1] ?? DEFAULT_PAGE,
  );
  return Math.min(2000, Math.max(200, wanted));
}
