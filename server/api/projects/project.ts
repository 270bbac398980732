/** The project as the API shows it. */
import { Type, type Static } from "typebox";
import type { ProjectRow } from "../../store/projects.ts";
import { times, TimeSchema } from "../times.ts";

export const ProjectSchema = Type.Object({
  id: Type.String(),
  name: Type.String({ description: "Unique name in lower case; serves wherever the id does." }),
  appName: Type.String({ description: "What customers see as the name of the application." }),
  orgId: Type.String(),
  createTime: TimeSchema,
  updateTime: Type.Optional(TimeSchema),
  entitlements: Type.Optional(
    Type.Object({
      brandingRemoval: Type.Object({ value: Type.Boolean() }),
      logRetentionDays: Type.Object({ value: Type.Integer() }),
    }),
  ),
});

/** Self-hosted: nothing is sold, so everything is included. */
const ENTITLEMENTS = { brandingRemoval: { value: true }, logRetentionDays: { value: 30 } };

export const toProject = (row: ProjectRow, includeEntitlements = false): Static<typeof ProjectSchema> => ({
  id: row.id,
  name: row.name,
  appName: row.appName,
  orgId: row.orgId,
  ...times(row),
  ...(includeEntitlements && { entitlements: ENTITLEMENTS }),
});
