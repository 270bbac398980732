/** The part of the facts about lists that tell deletions apart from the records: audits, logs, lists of events. */
import { Type, type TSchema } from "typebox";
import { buildUnion, closed, flag, integer, ListPaging, optional, text } from "./paging-facts.ts";
import { request } from "./request-facts.ts";

/** Returns the schema of a log of deletions; times and orders are those of lists. */
export const logFact = <F extends TSchema, S extends TSchema>(timeFormat: F, sort: S) =>
  closed(
    {
      ...request,
      records: text("Path of the list of entries in an answer; empty: the answer itself."),
      paging: ListPaging,
      sort: Type.Optional(sort),
      entry: Type.Record(Type.String(), Type.Unknown(), {
        description: "An entry about a deleted record of this object, as the vendor's material shows one.",
      }),
      id: text("Path of the deleted record's id in an entry."),
      ownId: optional("Path of the entry's own id, where pages go on by it."),
      time: text("Path of the time of the deletion in an entry."),
      timeFormat,
      chosenBy: Type.Array(
        closed({
          at: text("`query.<name>` or `body.<path>`."),
          has: text("What the value contains, but for spaces."),
        }),
        {
          description:
            "What a request must have so that it gets deletions of this object alone: otherwise it gets entries about other things, too.",
        },
      ),
      since: closed(
        {
          to: text("Where the beginning of the period goes."),
          template: optional("Text around it, with `{since}`."),
          format: timeFormat,
          zone: Type.Optional(buildUnion(["UTC", "user"], "Zone of times without one.")),
          until: optional("Where its end goes."),
          oldestDays: integer("Older beginnings are refused."),
          keptDays: integer("Older entries are not in the log any more."),
        },
        "How entries since a time are asked for.",
      ),
      fields: Type.Optional(
        closed(
          {
            to: text("Where the names of wanted members go, separated by commas."),
            large: Type.Array(Type.String(), {
              description: "Members that hold whole records, which come unless others are named.",
            }),
          },
          "Entries have named members only.",
        ),
      ),
      forbidden: Type.Optional(
        closed(
          { status: Type.Integer(), body: Type.Unknown({ description: "What the vendor answers." }) },
          "How the vendor refuses an account that may not read it.",
        ),
      ),
      unverified: flag("The entry, or the names, are from clients of others."),
    },
    "A list that tells deletions apart from the records.",
  );
