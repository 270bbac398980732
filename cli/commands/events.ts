/** `busbar events follow`: prints the changes that an installation's provider reports, and what becomes of them. */
import type { Command } from "commander";
import { pause } from "../clock.ts";
import { listObjectsAt, getTextAt, type JsonObject } from "../http/json.ts";
import type { Output } from "../output/output.ts";
import { colourStatus } from "../output/column.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { findInstallation } from "../resources/find-installation.ts";
import type { Filters } from "../resources/resource.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { addFilters, parseWholeNumber } from "./resource-options.ts";

interface FollowOptions extends Filters {
  count?: number;
}

const PAUSE_MS = 1_000;
const PAGE = 200;
const UNPROCESSED = new Set(["received", "queued"]);

export function addEvents(program: Command, terminal: Terminal): void {
  const follow = program
    .command("events")
    .description("changes that providers report")
    .command("follow")
    .description("print the events of an installation's subscriptions as they are processed, until Ctrl-C")
    .option("--count <n>", "end after so many events", parseWholeNumber(1, 1_000_000));
  addFilters(follow, "installation", "integration", "group", "object", "record").action(
    async ({ count, object, record, ...of }: FollowOptions, command: Command) => {
      const server = await connect(command, terminal);
      const path = `${await findInstallation(server, of)}/subscription-events`;
      const query = { objectName: object, recordId: record, pageSize: String(PAGE) };
      const interrupted = terminal.catchInterrupt();
      if (count === undefined) server.out.note("waiting for events; stop with Ctrl-C");
      const reported = new Set<string>();
      let left = count ?? Number.POSITIVE_INFINITY;
      // Events of before the command are not shown, unless they still wait.
      let isFirst = true;
      do {
        const newest = listObjectsAt(await server.inProject("GET", path, { query }), "results");
        for (const event of newest.toReversed()) {
          const id = getTextAt(event, "id") ?? "";
          const waits = UNPROCESSED.has(getTextAt(event, "outcome") ?? "");
          if (reported.has(id) || waits) continue;
          reported.add(id);
          if (isFirst && count === undefined) continue;
          if (left-- > 0) printEvent(event, server.out);
        }
        isFirst = false;
      } while (left > 0 && (await pause(PAUSE_MS, interrupted)));
    },
  );
}

function printEvent(event: JsonObject, out: Output): void {
  if (out.json) return out.item(event);
  const { paint } = out;
  const outcome = getTextAt(event, "outcome") ?? "";
  out.line(
    [
      paint.dim(getTextAt(event, "receivedTime") ?? ""),
      escapeUnsafe(getTextAt(event, "objectName") ?? ""),
      escapeUnsafe(getTextAt(event, "recordId") ?? ""),
      escapeUnsafe(getTextAt(event, "providerEventType") ?? ""),
      colourStatus(outcome, paint)(escapeUnsafe(outcome)),
      paint.dim(escapeUnsafe(getTextAt(event, "reason") ?? getTextAt(event, "messageId") ?? "")),
    ].join("  "),
  );
}
