/** `busbar search crm contacts --group acme --where email=…`: finds records in a customer's account. */
import type { Command } from "commander";
import { encodeStep } from "../http/api.ts";
import {
  isObject,
  listObjectsAt,
  requireObject,
  getTextAt,
  getValueAt,
  type Json,
  type JsonObject,
} from "../http/json.ts";
import { readNamedValues } from "../read-named-values.ts";
import type { Column } from "../output/column.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { collect } from "./resource-options.ts";

interface SearchOptions {
  group: string;
  where?: string[];
  whereJson?: string[];
}

export function addSearch(program: Command, terminal: Terminal): void {
  program
    .command("search <integration> <object>")
    .description("find records in a customer's account by the values of fields")
    .requiredOption("-g, --group <groupRef>", "the customer")
    .option("-w, --where <name=value>", "a field that equals a text; may be repeated", collect)
    .option("--where-json <name=json>", "a field that equals a number or a boolean", collect)
    .addHelpText("after", "\nAll conditions must hold. Names are yours or the provider's. Shows one page.")
    .action(async (integration: string, object: string, options: SearchOptions, command: Command) => {
      const { group, where, whereJson } = options;
      const fieldFilters = readNamedValues("--where", { texts: where, jsons: whereJson }).map(
        ([fieldName, value]): JsonObject => ({ fieldName, operator: "eq", value }),
      );
      const { api, project, out } = await connect(command, terminal);
      const path = `/search/v1/projects/${encodeStep(await project())}/integrations/${encodeStep(integration)}`;
      const body = { objectName: object, fieldFilters };
      const answer = requireObject(await api("POST", path, { query: { groupRef: group }, body }));
      if (out.json) return out.data(answer);
      const found = listObjectsAt(answer, "results");
      out.rows(found, buildColumns(found), "no record found");
      if (getValueAt(answer, "truncated") === true)
        out.note("The provider has more records that match; add conditions to find them.");
    });
}

/** Returns a column for each field, mapped ones first, and the id. */
function buildColumns(records: JsonObject[]): Record<string, Column> {
  const columns: Record<string, Column> = {};
  for (const member of ["mappedFields", "fields"]) {
    for (const record of records)
      for (const name of listNames(record[member]))
        columns[name] ??= { text: (row) => printCell(readMember(row[member], name)) };
  }
  return { ...columns, ID: { text: (row) => getTextAt(row, "id") ?? "", kind: "id" } };
}

const listNames = (value: Json | undefined): string[] => (isObject(value) ? Object.keys(value) : []);
const readMember = (value: Json | undefined, name: string): Json =>
  isObject(value) ? (value[name] ?? null) : null;

function printCell(value: Json): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
