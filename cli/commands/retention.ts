/** `busbar retention operations=14`: shows or sets how long the project keeps each kind of history. */
import type { Command } from "commander";
import { UsageFailure } from "../failures.ts";
import { isObject, requireObject, getValueAt, type JsonObject } from "../http/json.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";

const readDaysAt = (member: string) => (row: JsonObject) => String(getValueAt(row, member) ?? "");

const COLUMNS = {
  KIND: readDaysAt("kind"),
  DAYS: readDaysAt("days"),
  "SET BY": (row: JsonObject) => (getValueAt(row, "isOwn") === true ? "the project" : "the operator"),
  "AT LEAST": readDaysAt("leastDays"),
  "AT MOST": readDaysAt("mostDays"),
};

export function addRetention(program: Command, terminal: Terminal): void {
  program
    .command("retention [kind=days...]")
    .description("show or set for how many days the project keeps each kind of history")
    .addHelpText("after", "\nkind=default takes a setting back. What is older is removed within ten minutes.")
    .action(async (given: string[], _: object, command: Command) => {
      const changes = given.map(parseChange);
      const server = await connect(command, terminal);
      const before = requireObject(await server.inProject("GET", "/retention"));
      const answer =
        changes.length === 0
          ? before
          : requireObject(
              await server.inProject("PUT", "/retention", { body: applyChanges(before, changes) }),
            );
      if (server.out.json) return server.out.data(answer);
      const rows = Object.entries(answer).flatMap(([kind, kept]) =>
        isObject(kept) ? [{ kind, ...kept }] : [],
      );
      server.out.rows(rows, COLUMNS, "There is no retention.");
    });
}

interface Change {
  kind: string;
  /** Undefined: the operator's. */
  days: number | undefined;
}

function parseChange(text: string): Change {
  const [, kind = "", value = ""] = /^(\w+)=(default|\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (kind !== "") return { kind, days: value === "default" ? undefined : Number(value) };
  throw new UsageFailure(`"${text}" is not kind=days, such as operations=14 or events=default.`);
}

/** Returns the project's own settings with the changes: the API replaces all of them at once. */
function applyChanges(before: JsonObject, changes: Change[]): JsonObject {
  const own = new Map(
    Object.entries(before).flatMap(([kind, kept]) => {
      const days = getValueAt(kept, "days");
      return getValueAt(kept, "isOwn") === true && typeof days === "number" ? [[kind, days] as const] : [];
    }),
  );
  for (const { kind, days } of changes) {
    if (days === undefined) own.delete(kind);
    else own.set(kind, days);
  }
  return Object.fromEntries(own);
}
