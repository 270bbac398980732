/** Linear's objects, by GraphQL. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

/** The base URL is the only address. */
export const provider = oauth2("Linear", "https://api.linear.app/graphql", {
  authorize: "https://linear.app/oauth/authorize",
  token: "https://api.linear.app/oauth/token",
  needsScopes: true,
  oauth: { scopeSeparator: "," },
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
});

/** Lists and filters are named after the type of the record. Archived records are left out unless they are asked for. */
function readable(list: string, type: string, fields: string[], also: Record<string, boolean> = {}) {
  return {
    list,
    get: lowered(type),
    fields,
    arguments: { includeArchived: true, ...also },
    since: { argument: "filter", type: `${type}Filter`, path: "updatedAt.gte" },
  };
}

/** Mutations and their inputs are named after the type, too. */
const graphql = (list: string, type: string, fields: string[]): ObjectRules["graphql"] => ({
  ...readable(list, type, fields),
  create: { field: `${lowered(type)}Create`, input: `${type}CreateInput!` },
  update: { field: `${lowered(type)}Update`, input: `${type}UpdateInput!` },
  delete: { field: `${lowered(type)}Delete` },
});

const names = (text: string): string[] => text.split(" ");

/** A record of another type, by its id and what people call it. */
const other = (name: string, ...members: string[]): string[] =>
  ["id", ...members].map((member) => `$['${name}']['${member}']`);

const lowered = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);

/** A delete puts these into the trash, where they are archived. */
const deleted = { at: "trashed" };

export const description: Description = {
  graphql: { path: "/", id: "String!", payload: "success", most: 250 },
  defaults: { changedPath: "updatedAt" },
  objects: {
    issues: {
      deleted,
      graphql: graphql("issues", "Issue", [
        ...names("identifier number title description priority estimate dueDate url branchName labelIds"),
        ...names("createdAt startedAt completedAt canceledAt archivedAt snoozedUntilAt"),
        ...other("state", "name", "type"),
        ...names("team assignee creator project parent").flatMap((name) => other(name)),
      ]),
      example: { title: "Ink leaks", teamId: "9cfb482a-81e3-4154-b5b9-2c805e70a02d" },
    },
    projects: {
      deleted,
      graphql: graphql("projects", "Project", [
        ...names("name description content url slugId priority progress health labelIds"),
        ...names("startDate targetDate createdAt startedAt completedAt canceledAt archivedAt"),
        ...other("status", "name", "type"),
        ...other("lead"),
      ]),
      example: { name: "Pens", teamIds: ["9cfb482a-81e3-4154-b5b9-2c805e70a02d"] },
    },
    comments: {
      graphql: graphql("comments", "Comment", [
        ...names("body url issueId parentId projectId quotedText"),
        ...names("createdAt editedAt resolvedAt archivedAt"),
        ...other("user"),
      ]),
      example: { body: "Asked for pens", issueId: "7b1c2d3e-81e3-4154-b5b9-2c805e70a02d" },
    },
    issueLabels: {
      graphql: graphql("issueLabels", "IssueLabel", [
        ...names("name color description isGroup createdAt retiredAt archivedAt"),
        ...other("team"),
        ...other("parent"),
      ]),
      example: { name: "pens" },
    },
    documents: {
      deleted,
      graphql: graphql("documents", "Document", [
        ...names("title content url slugId icon color createdAt archivedAt"),
        ...other("creator"),
        ...other("project"),
      ]),
      example: { title: "Pens" },
    },
    teams: {
      modes: ["read"],
      graphql: readable(
        "teams",
        "Team",
        names("name key displayName description visibility timezone createdAt archivedAt"),
      ),
    },
    users: {
      modes: ["read"],
      graphql: readable(
        "users",
        "User",
        names("name displayName email title active admin guest timezone createdAt archivedAt"),
        { includeDisabled: true },
      ),
    },
  },
  errors: {
    message: ["errors.*.extensions.userPresentableMessage", "errors.*.message"],
    code: "errors.0.extensions.code",
    codes: {
      AUTHENTICATION_ERROR: "unauthorized",
      FORBIDDEN: "forbidden",
      FEATURE_NOT_ACCESSIBLE: "forbidden",
      RATELIMITED: "rate_limited",
    },
    // The message is "Entity not found: Issue"; what people are told is "Could not find referenced Issue."
    texts: { "Could not find referenced": "not_found", "Entity not found": "not_found" },
  },
  limits: { reset: "x-ratelimit-requests-reset" },
  sources: {
    documentation: "https://linear.app/developers/graphql",
    checked:
      "2026-11-27, schema of @linear/sdk 88.3.0 and its classes of errors; the largest page and the words of refusals from somebody else's notes of calls. `updatedAt` tells of meaningful updates, as the schema says, so a small change may not be read",
  },
};
