/** A revision as the list shows it. */
import { Type, type Static } from "typebox";
import type { RevisionEntry } from "../../store/revisions.ts";
import { CreateTime } from "../times.ts";

export const RevisionEntrySchema = Type.Object(
  {
    id: Type.String({ description: "Id of the revision." }),
    number: Type.Integer({ description: "Number of the revision in its integration, counted from 1." }),
    createTime: CreateTime,
    createdBy: Type.String({
      description:
        "Who deployed it: `builder:<id>`, `apiKey:<id>`, or `system` for revisions older than this member.",
    }),
    current: Type.Boolean({ description: "Whether it is the current revision." }),
  },
  { title: "RevisionEntry", description: "A revision in the list of an integration's revisions." },
);

export const toRevisionEntry = (row: RevisionEntry): Static<typeof RevisionEntrySchema> => ({
  id: row.id,
  number: row.number,
  createTime: row.createTime.toISOString(),
  createdBy: row.createdBy,
  current: row.current,
});
