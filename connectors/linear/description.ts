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
function describeReadable(list: string, type: string, fields: string[], also: Record<string, boolean> = {}) {
  return {
    list,
    get: lowerFirst(type),
    fields,
    arguments: { includeArchived: true, ...also },
    since: { argument: "filter", type: `${type}Filter`, path: "updatedAt.gte" },
  };
}

/** Mutations and their inputs are named after the type, too. */
const describeGraphql = (list: string, type: string, fields: string[]): ObjectRules["graphql"] => ({
  ...describeReadable(list, type, fields),
  create: { field: `${lowerFirst(type)}Create`, input: `${type}CreateInput!` },
  update: { field: `${lowerFirst(type)}Update`, input: `${type}UpdateInput!` },
  delete: { field: `${lowerFirst(type)}Delete` },
});

const splitNames = (text: string): string[] => text.split(" ");

/** A record of another type, by its id and what people call it. */
const selectOther = (name: string, ...members: string[]): string[] =>
  ["id", ...members].map((member) => `$['${name}']['${member}']`);

const lowerFirst = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);

/** A delete puts these into the trash, where they are archived. */
const deleted = { at: "trashed" };

export const description: Description = {
  graphql: { path: "/", id: "String!", payload: "success", most: 250 },
  defaults: { changedPath: "updatedAt" },
  objects: {
    issues: {
      deleted,
      graphql: describeGraphql("issues", "Issue", [
        ...splitNames(
          "identifier number title description priority estimate dueDate url branchName labelIds",
        ),
        ...splitNames("createdAt startedAt completedAt canceledAt archivedAt snoozedUntilAt"),
        ...selectOther("state", "name", "type"),
        ...splitNames("team assignee creator project parent").flatMap((name) => selectOther(name)),
      ]),
      example: { title: "Ink leaks", teamId: "9cfb482a-81e3-4154-b5b9-2c805e70a02d" },
    },
    projects: {
      deleted,
      graphql: describeGraphql("projects", "Project", [
        ...splitNames("name description content url slugId priority progress health labelIds"),
        ...splitNames("startDate targetDate createdAt startedAt completedAt canceledAt archivedAt"),
        ...selectOther("status", "name", "type"),
        ...selectOther("lead"),
      ]),
      example: { name: "Pens", teamIds: ["9cfb482a-81e3-4154-b5b9-2c805e70a02d"] },
    },
    comments: {
      graphql: describeGraphql("comments", "Comment", [
        ...splitNames("body url issueId parentId projectId quotedText"),
        ...splitNames("createdAt editedAt resolvedAt archivedAt"),
        ...selectOther("user"),
      ]),
      example: { body: "Asked for pens", issueId: "7b1c2d3e-81e3-4154-b5b9-2c805e70a02d" },
    },
    issueLabels: {
      graphql: describeGraphql("issueLabels", "IssueLabel", [
        ...splitNames("name color description isGroup createdAt retiredAt archivedAt"),
        ...selectOther("team"),
        ...selectOther("parent"),
      ]),
      example: { name: "pens" },
    },
    documents: {
      deleted,
      graphql: describeGraphql("documents", "Document", [
        ...splitNames("title content url slugId icon color createdAt archivedAt"),
        ...selectOther("creator"),
        ...selectOther("project"),
      ]),
      example: { title: "Pens" },
    },
    teams: {
      modes: ["read"],
      graphql: describeReadable(
        "teams",
        "Team",
        splitNames("name key displayName description visibility timezone createdAt archivedAt"),
      ),
    },
    users: {
      modes: ["read"],
      graphql: describeReadable(
        "users",
        "User",
        splitNames("name displayName email title active admin guest timezone createdAt archivedAt"),
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
