/** `busbar write crm contacts --group acme --set email=…`: writes records to a customer's account. */
import { Option, type Command } from "commander";
import { Ended, UsageFailure } from "../failures.ts";
import { encodeObjectPath, encodeStep } from "../http/api.ts";
import {
  isObject,
  listObjectsAt,
  requireObject,
  requireText,
  getTextAt,
  getValueAt,
  type Json,
  type JsonObject,
} from "../http/json.ts";
import type { Output } from "../output/output.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { formatTable } from "../output/table.ts";
import { printRecord } from "../output/print-record.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { writeRequest, type RecordOptions } from "../write-request.ts";
import { followToEnd } from "./operations.ts";
import { collect, parseWholeNumber } from "./resource-options.ts";

interface WriteOptions extends RecordOptions {
  wait?: boolean;
  timeoutSeconds: number;
  dryRun?: boolean;
  idempotencyKey?: string;
}

export function addWrite(program: Command, terminal: Terminal): void {
  program
    .command("write <integration> <object>")
    .description("write records to a customer's account")
    .option("-g, --group <groupRef>", "groupRef of the customer")
    .addOption(
      new Option("-t, --type <type>", "action")
        .choices(["create", "update", "upsert", "delete"])
        .default("create"),
    )
    .option("--id <recordId>", "the record's id at the provider, for update and delete")
    .option("--upsert-key <field>", "for an upsert: the field whose value names the record")
    .option("-s, --set <name=value>", "a field with a text value; may be repeated", collect)
    .option("-j, --set-json <name=json>", "a field with a JSON value: number, true, null, list …", collect)
    .option("-d, --data <json>", "a record, or a list of records: JSON, @file, or - for stdin")
    .option("--request <json>", "the whole request body of the API: JSON, @file, or - for stdin")
    .option("--async", "write asynchronously")
    .option("--wait", "with --async: wait for the end; exit code 1 if it failed")
    .option("--timeout-seconds <n>", "with --wait: timeout", parseWholeNumber(1, 172_800), 3_600)
    .option("--all-or-none", "for a batch: write all records or none")
    .option("--dry-run", "show the requests without sending them")
    .option("--idempotency-key <key>", "repeating the command with the same key writes only once")
    .action(async (integration: string, object: string, options: WriteOptions, command: Command) => {
      if (options.wait && !options.async)
        throw new UsageFailure("--wait needs --async; other writes always wait.");
      const body = await writeRequest(options, terminal);
      const server = await connect(command, terminal);
      const answer = requireObject(await send(server, integration, object, body, options));
      if (options.dryRun) return printRecord(answer, server.out);
      if (!options.wait) return printAnswer(answer, body, server.out);
      const { timeoutSeconds } = options;
      const id = requireText(answer, "operationId");
      await followToEnd(server, id, { timeoutSeconds, interrupted: terminal.catchInterrupt() });
    });
}

async function send(
  deps: Connected,
  integration: string,
  object: string,
  body: JsonObject,
  { dryRun, idempotencyKey }: WriteOptions,
): Promise<Json | undefined> {
  const path = `/write/v1/projects/${encodeStep(await deps.project())}/integrations/${encodeStep(integration)}/objects/${encodeObjectPath(object)}`;
  return deps.api("POST", path, {
    query: { dryRun: dryRun ? "true" : undefined },
    body,
    ...(idempotencyKey !== undefined && { headers: { "idempotency-key": idempotencyKey } }),
  });
}

const PAST: Record<string, string> = {
  create: "created",
  update: "updated",
  delete: "deleted",
  upsert: "upserted",
};

/** Prints the answer. Throws `Ended` (exit code 1) if a record of a batch failed. */
function printAnswer(answer: JsonObject, body: JsonObject, out: Output): void {
  const failures = getValueAt(answer, "failureCount");
  const done = PAST[getTextAt(body, "type") ?? ""] ?? "written";
  if (out.json) out.data(answer);
  else if (Array.isArray(answer["results"])) printBatch(answer, done, out);
  else if (isObject(answer["result"])) {
    const id = getTextAt(answer, "result.recordId");
    const created = getValueAt(answer, "result.created");
    const what = typeof created === "boolean" ? (created ? "created" : "updated") : done;
    out.line(`${out.paint.green(what)}${id === undefined ? "" : ` record ${escapeUnsafe(id)}`}`);
    printOperation(answer, out);
  } else {
    out.line(`${out.paint.green("accepted")} operation ${getTextAt(answer, "operationId") ?? ""}`);
    out.note(`wait for its end with: busbar operations ${getTextAt(answer, "operationId") ?? ""} --follow`);
  }
  if (typeof failures === "number" && failures > 0) throw new Ended();
}

function printBatch(answer: JsonObject, done: string, out: Output): void {
  const errors = listObjectsAt(answer, "errors").map((error) => getTextAt(error, "message") ?? "");
  const rows = listObjectsAt(answer, "results").map((result, index) => {
    const success = getValueAt(result, "success") === true;
    // An error begins with the record's index: `batch[3]: …`.
    const prefix = `batch[${index}]: `;
    const error = errors.find((message) => message.startsWith(prefix))?.slice(prefix.length) ?? "";
    return [
      String(index),
      success ? done : "failed",
      getTextAt(result, "recordId") ?? "",
      success ? "" : error,
    ];
  });
  for (const line of formatTable(["#", "RESULT", "RECORD", "WHY"], rows, out.paint)) out.line(line);
  printOperation(answer, out);
}

const printOperation = (answer: JsonObject, out: Output): void =>
  out.note(`operation ${escapeUnsafe(getTextAt(answer, "operationId") ?? "")}`);
