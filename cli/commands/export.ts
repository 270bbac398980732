/** `busbar export <group>`: prints everything that the server has of a customer, one JSON object a line. */
import type { Command } from "commander";
import { encodeStep } from "../http/api.ts";
import { listObjectsAt, requireObject, requireObjects, getTextAt, type JsonObject } from "../http/json.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";

/** Lists that can be narrowed to one group, by the kind of their lines. */
const LISTS: [kind: string, path: string][] = [
  ["connection", "/connections:search"],
  ["installation", "/installations:search"],
  ["consent", "/consents"],
  ["operation", "/operations"],
  ["event", "/events"],
  ["proxyCall", "/proxy-calls"],
];

const PAGE_SIZE = "200";

export function addExport(program: Command, terminal: Terminal): void {
  program
    .command("export <group>")
    .description("print everything that the server has of a customer, one JSON object a line; no credentials")
    .action(async (groupRef: string, _: object, command: Command) => {
      const deps = await connect(command, terminal);
      const print = (kind: string, value: JsonObject) => deps.out.item({ kind, ...value });
      print("group", requireObject(await deps.inProject("GET", `/groups/${encodeStep(groupRef)}`)));
      let lines = 1;
      for (const [kind, path] of LISTS) {
        for await (const value of listAll(deps, path, groupRef)) {
          print(kind, value);
          if (kind === "operation") await printLogs(deps, value, print);
          lines += 1;
        }
        deps.out.progress(`${lines} lines`);
      }
      deps.out.progress();
    });
}

/** Returns every item of a paged list, a page at a time: a customer may have millions of operations. */
async function* listAll(deps: Connected, path: string, groupRef: string): AsyncGenerator<JsonObject> {
  let pageToken: string | undefined;
  do {
    const query = { groupRef, pageSize: PAGE_SIZE, pageToken };
    const page = await deps.inProject("GET", path, { query });
    yield* listObjectsAt(page, "results");
    pageToken = getTextAt(page, "pagination.nextPageToken");
  } while (pageToken);
}

async function printLogs(
  deps: Connected,
  operation: JsonObject,
  print: (kind: string, value: JsonObject) => void,
): Promise<void> {
  const operationId = getTextAt(operation, "id") ?? "";
  const logs = await deps.inProject("GET", `/operations/${encodeStep(operationId)}/logs`);
  for (const log of requireObjects(logs)) print("log", { operationId, ...log });
}
