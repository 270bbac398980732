/** `busbar operations`: lists operations of an installation, shows one, or waits for its end. */
import type { Command } from "commander";
import { nowMs, pause } from "../clock.ts";
import { Ended, Failure, UsageFailure } from "../failures.ts";
import { step } from "../http/api.ts";
import { requireObject, textAt, type JsonObject } from "../http/json.ts";
import { printable } from "../output/printable.ts";
import { tellRecord } from "../output/tell-record.ts";
import { tellRows, type Filters } from "../resources/resource.ts";
import { OPERATIONS } from "../resources/resources.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { addFilters, wholeNumber } from "./resource-options.ts";

interface OperationsOptions extends Filters {
  watch?: boolean;
  timeoutSeconds: number;
}

export function addOperations(program: Command, terminal: Terminal): void {
  const operations = program
    .command("operations [operation]")
    .description("list operations of an installation, or show one")
    .option("-w, --watch", "wait until the operation ends; exit code 1 if it failed")
    .option("--timeout-seconds <n>", "how long to wait", wholeNumber(1, 172_800), 3_600);
  addFilters(operations, ...(OPERATIONS.filters ?? [])).action(
    async (id: string | undefined, options: OperationsOptions, command: Command) => {
      const { watch, timeoutSeconds, ...filters } = options;
      if (id === undefined && watch) throw new UsageFailure("--watch needs the id of an operation.");
      if (id !== undefined && Object.keys(filters).length > 0) {
        throw new UsageFailure("Filters apply to the list, not to a single operation.");
      }
      const on = await connect(command, terminal);
      if (id === undefined) {
        const rows = (await OPERATIONS.list?.(on, filters)) ?? [];
        return tellRows(OPERATIONS, rows, on);
      }
      const operation = watch
        ? await waitForEnd(on, id, { timeoutSeconds, interrupted: terminal.catchInterrupt() })
        : await getOperation(on, id);
      await tellRecord(operation, on.out);
      if (watch && textAt(operation, "status") === "failure") throw new Ended();
    },
  );
}

export const getOperation = async (deps: Pick<Connected, "inProject">, id: string): Promise<JsonObject> =>
  requireObject(await deps.inProject("GET", `/operations/${step(id)}`));

export const isRunning = (operation: JsonObject): boolean => textAt(operation, "status") === "in_progress";

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 3_000;

/** Returns the ended operation. Polls with growing pauses. Throws on timeout or Ctrl-C. */
export async function waitForEnd(
  deps: Connected,
  id: string,
  { timeoutSeconds, interrupted }: { timeoutSeconds: number; interrupted: AbortSignal },
): Promise<JsonObject> {
  const end = nowMs() + timeoutSeconds * 1_000;
  let pauseMs = FIRST_PAUSE_MS;
  let told = false;
  for (;;) {
    const operation = await getOperation(deps, id);
    if (!isRunning(operation)) return operation;
    if (!told) deps.out.note(`waiting for operation ${printable(id)}`);
    told = true;
    if (nowMs() >= end) {
      throw new Failure(`The operation is still running after ${timeoutSeconds} seconds.`, {
        remedy: `It continues; wait for it with: busbar operations ${id} --watch`,
      });
    }
    if (!(await pause(pauseMs, interrupted))) throw new Ended();
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
}
