/** The project as the API shows it. */
import { Type, type Static } from "typebox";
import type { Problem } from "../../../ground/errors.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import { isUuid } from "../../../ground/ids.ts";
import type { ProjectRow } from "../../store/access/projects.ts";
import { OrgId, ProjectId, CreateTime, toTimes, UpdateTime } from "../members.ts";

export const ProjectSchema = Type.Object(
  {
    id: ProjectId,
    name: Type.String({ description: "Unique name in lower case. Can be used instead of the id." }),
    appName: Type.String({ description: "Name of your application, shown to customers." }),
    orgId: OrgId,
    dropUnmappedFields: Type.Optional(
      Type.Boolean({ description: "Whether writes with an inherited mapping send mapped fields only." }),
    ),
    production: Type.Boolean({
      description: "Whether it serves real customers: the dashboard then asks once more before changes.",
    }),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
    entitlements: Type.Optional(
      Type.Object(
        {
          brandingRemoval: Type.Object(
            { value: Type.Boolean({ description: "Always true." }) },
            { description: "Whether the UI library may hide its footer." },
          ),
          logRetentionDays: Type.Object(
            { value: Type.Integer({ description: "Number of days." }) },
            { description: "How long logs are kept." },
          ),
        },
        { description: "Features of the project. All are included." },
      ),
    ),
  },
  { title: "Project", description: "One application of yours, with its integrations, keys and customers." },
);

/** Returns the project, with `entitlements` if it is given how long logs are kept. All features are included. */
export const toProject = (row: ProjectRow, logDays?: number): Static<typeof ProjectSchema> => ({
  id: row.id,
  name: row.name,
  appName: row.appName,
  orgId: row.orgId,
  dropUnmappedFields: row.dropUnmappedFields,
  production: row.production,
  ...toTimes(row),
  ...(logDays !== undefined && {
    entitlements: {
      brandingRemoval: { value: true },
      // The public member has whole days.
      logRetentionDays: { value: Math.ceil(logDays) },
    },
  }),
});

export const AppNameSchema = Type.String({
  minLength: 1,
  maxLength: 128,
  description: "Name of your application, shown to customers.",
});

/** Returns the name as it is stored. Throws a 422 Problem that names `member`. */
export function checkProjectName(name: string, member: string): string {
  // Names and ids are used in the same place, so a name must not look like an id.
  if (/^[A-Za-z0-9][A-Za-z0-9-]{0,126}[A-Za-z0-9]$/.test(name) && !isUuid(name)) return name.toLowerCase();
  throw refuseInvalidName(
    member,
    "must be 2 to 128 letters, digits and hyphens, begin and end with a letter or digit, and not be a UUID",
  );
}

export const refuseProjectName = (name: string, member: string): Problem =>
  refuseInvalidName(member, `\`${name}\` is taken; names are unique, whatever their case`);

const refuseInvalidName = (name: string, detail: string): Problem =>
  toMemberProblem(name, detail, { slug: "semantically-invalid" });
