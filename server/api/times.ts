/** Times as the API writes them. */
import { Type } from "typebox";

export const TimeSchema = Type.String({ format: "date-time" });

/** An optional `updateTime` is left out rather than null: published clients cannot read null or an empty text. */
export const times = (row: { createTime: Date; updateTime: Date | null }) => ({
  createTime: row.createTime.toISOString(),
  ...(row.updateTime && { updateTime: row.updateTime.toISOString() }),
});
