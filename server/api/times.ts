/** Times in the API. */
import { Type } from "typebox";

export const CreateTime = Type.String({ format: "date-time", description: "When it was created." });
export const UpdateTime = Type.String({
  format: "date-time",
  description: "When it was last changed. Absent if it never was.",
});

/** Leaves out an absent `updateTime`: published clients cannot read null or an empty string. */
export const times = (row: { createTime: Date; updateTime: Date | null }) => ({
  createTime: row.createTime.toISOString(),
  ...(row.updateTime && { updateTime: row.updateTime.toISOString() }),
});
