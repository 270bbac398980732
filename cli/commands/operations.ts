/** `busbar operations`: lists operations, shows one, or waits for its end. */
import { Option, type Command } from "commander";
import { nowMs, pause } from "../clock.ts";
import { Ended, Failure, UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { requireObject, getTextAt, type JsonObject } from "../http/json.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { formatProgress } from "../output/progress-line.ts";
import { printRecord } from "../output/print-record.ts";
import { printRows, type Filters } from "../resources/resource.ts";
import { OPERATIONS } from "../resources/resources.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { addFilters, parseWholeNumber } from "./resource-options.ts";

interface OperationsOptions extends Filters {
  follow?: boolean;
  watch?: boolean;
  timeoutSeconds: number;
}

export function addOperations(program: Command, terminal: Terminal): void {
  const operations = program
    .command("operations [operation]")
    .description("list operations, or show one")
    .option("-f, --follow", "wait until the operation ends and show its progress; exit code 1 if it failed")
    .addOption(new Option("-w, --watch", "the same").hideHelp())
    .option("--timeout-seconds <n>", "how long to wait", parseWholeNumber(1, 172_800), 3_600);
  addFilters(operations, ...(OPERATIONS.filters ?? [])).action(
    async (id: string | undefined, options: OperationsOptions, command: Command) => {
      const { follow, watch, timeoutSeconds, ...filters } = options;
      const isFollowed = follow ?? watch;
      if (id === undefined && isFollowed) throw new UsageFailure("--follow needs the id of an operation.");
      if (id !== undefined && Object.keys(filters).length > 0) {
        throw new UsageFailure("Filters apply to the list, not to a single operation.");
      }
      const server = await connect(command, terminal);
      if (id === undefined) {
        const rows = (await OPERATIONS.list?.(server, filters)) ?? [];
        return printRows(OPERATIONS, rows, server, filters);
      }
      if (!isFollowed) return printRecord(await getOperation(server, id), server.out);
      await followToEnd(server, id, { timeoutSeconds, interrupted: terminal.catchInterrupt() });
    },
  );
}

export const getOperation = async (deps: Pick<Connected, "inProject">, id: string): Promise<JsonObject> =>
  requireObject(await deps.inProject("GET", `/operations/${encodeStep(id)}`));

export const isRunning = (operation: JsonObject): boolean => getTextAt(operation, "status") === "in_progress";

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 1_000;

interface Following {
  timeoutSeconds: number;
  interrupted: AbortSignal;
}

/** Waits for the end and prints the operation. Throws `Ended` (exit code 1) if it failed, and on Ctrl-C. */
export async function followToEnd(deps: Connected, id: string, following: Following): Promise<void> {
  const operation = await waitForEnd(deps, id, following);
  await printRecord(operation, deps.out);
  if (getTextAt(operation, "status") === "failure") throw new Ended();
}

/** Polls with growing pauses. Throws on timeout and on Ctrl-C. */
async function waitForEnd(
  deps: Connected,
  id: string,
  { timeoutSeconds, interrupted }: Following,
): Promise<JsonObject> {
  const end = nowMs() + timeoutSeconds * 1_000;
  let pauseMs = FIRST_PAUSE_MS;
  try {
    for (;;) {
      const operation = await getOperation(deps, id);
      if (!isRunning(operation)) return operation;
      deps.out.progress(formatProgress(operation) ?? `waiting for operation ${escapeUnsafe(id)}`);
      if (nowMs() >= end) {
        throw new Failure(`The operation is still running after ${timeoutSeconds} seconds.`, {
          remedy: `It continues; wait for it with: busbar operations ${id} --follow`,
        });
      }
      if (!(await pause(pauseMs, interrupted))) throw new Ended();
      pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
    }
  } finally {
    deps.out.progress();
  }
}
