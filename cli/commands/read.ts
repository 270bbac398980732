/** `busbar read crm contacts --group acme`: reads a customer's records now and delivers them to the object's destination. */
import type { Command } from "commander";
import { UsageFailure } from "../failures.ts";
import { encodeObjectPath, encodeStep } from "../http/api.ts";
import { requireObject, requireText, type Json, type JsonObject } from "../http/json.ts";
import { printRecord } from "../output/print-record.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { followToEnd } from "./operations.ts";
import { parseWholeNumber } from "./resource-options.ts";
import { parseTimeOption } from "./time-option.ts";

interface ReadOptions {
  group: string;
  since?: string;
  until?: string;
  wait?: boolean;
  timeoutSeconds: number;
  dryRun?: boolean;
  idempotencyKey?: string;
}

export function addRead(program: Command, terminal: Terminal): void {
  program
    .command("read <integration> <object>")
    .description("read a customer's records now and deliver them to the object's destination")
    .requiredOption("-g, --group <groupRef>", "the customer")
    .option("--since <time>", "only records changed since then, such as 2h, 3d or 2026-01-31T12:00:00Z")
    .option("--until <time>", "only records changed until then")
    .option("--wait", "wait for the end and show the progress; exit code 1 if the read failed")
    .option("--timeout-seconds <n>", "with --wait: timeout", parseWholeNumber(1, 172_800), 3_600)
    .option("--dry-run", "show the first request and the estimated number of records; read nothing")
    .option("--idempotency-key <key>", "repeating the command with the same key reads only once")
    .action(async (integration: string, object: string, options: ReadOptions, command: Command) => {
      const { wait, dryRun, timeoutSeconds } = options;
      if (wait && dryRun)
        throw new UsageFailure("--dry-run reads nothing, so there is nothing to --wait for.");
      const body = buildTrigger(options);
      const server = await connect(command, terminal);
      const answer = requireObject(await trigger(server, integration, object, body, options));
      if (dryRun) return printRecord(answer, server.out);
      const id = requireText(answer, "operationId");
      if (wait) return followToEnd(server, id, { timeoutSeconds, interrupted: terminal.catchInterrupt() });
      if (server.out.json) return server.out.data(answer);
      server.out.line(`${server.out.paint.green("accepted")} operation ${id}`);
      server.out.note(`follow it with: busbar operations ${id} --follow`);
    });
}

const buildTrigger = ({ group, since, until }: ReadOptions): JsonObject => ({
  groupRef: group,
  mode: "async",
  ...(since !== undefined && { sinceTimestamp: parseTimeOption("--since", since) }),
  ...(until !== undefined && { untilTimestamp: parseTimeOption("--until", until) }),
});

async function trigger(
  { api, project }: Connected,
  integration: string,
  object: string,
  body: JsonObject,
  { dryRun, idempotencyKey }: ReadOptions,
): Promise<Json | undefined> {
  const path = `/read/v1/projects/${encodeStep(await project())}/integrations/${encodeStep(integration)}/objects/${encodeObjectPath(object)}`;
  return api("POST", path, {
    query: { dryRun: dryRun ? "true" : undefined },
    body,
    ...(idempotencyKey !== undefined && { headers: { "idempotency-key": idempotencyKey } }),
  });
}
