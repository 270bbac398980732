/** Times as the API writes them. */
import { Type } from "typebox";

export const CreateTime = Type.String({ format: "date-time", description: "When it was created." });
export const UpdateTime = Type.String({
  format: "date-time",
  description: "When it was last changed. Absent if it never was.",
});

/** An optional `updateTime` is left out rather than null: published clients cannot read null or an empty text. */
export const times = (row: { createTime: Date; updateTime: Date | null }) => ({
  createTime: row.createTime.toISOString(),
  ...(row.updateTime && { updateTime: row.updateTime.toISOString() }),
});
