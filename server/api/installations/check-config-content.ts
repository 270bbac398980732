/** Checks a configuration against the integration's latest revision and completes it for storage. */
import { listFeatures } from "../../../connector-kit/provider-info.ts";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import type { Json } from "../../../ground/json.ts";
import { checkConfig } from "../../../manifest/check-config.ts";
import { completeConfig } from "../../../manifest/complete-config.ts";
import { withPresentNames } from "../../../manifest/former-names.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { Integration } from "../integration.ts";

/** Returns a new configuration as it is stored. Throws a 422 Problem with one issue per fault. */
export function checkConfigContent(catalog: Catalog, integration: Integration, sent: Json): ConfigContent {
  const content = withPresentNames(sent);
  refuseLarge(content);
  refuse(listIssues(catalog, integration, content));
  return completeConfig(content, integration.latestRevision.content);
}

/**
 * Returns a changed configuration as it is stored. Accepts faults that existed before and that the change does not touch:
 * after a new revision, no change would be possible otherwise. `touched` names places such as
 * `config.content.read.objects.contacts`. Throws a 422 Problem.
 */
export function checkConfigChange(
  catalog: Catalog,
  integration: Integration,
  change: { before: Json; after: Json; touched: readonly string[] },
  describe: (issue: Issue) => Issue = (issue) => issue,
): ConfigContent {
  const after = withPresentNames(change.after);
  refuseLarge(after);
  const known = new Set(listIssues(catalog, integration, change.before).map(joinKey));
  const isTouched = ({ name }: Issue) => change.touched.some((place) => isWithin(name, place));
  const issues = listIssues(catalog, integration, after);
  refuse(issues.filter((issue) => isTouched(issue) || !known.has(joinKey(issue))).map(describe));
  return completeConfig(after, integration.latestRevision.content);
}

/** Customers' browsers write configurations, which are kept in memory, in the history and in events. */
const MAX_CHARACTERS = 1_000_000;

function refuseLarge(content: Json): void {
  const { length } = JSON.stringify(content);
  if (length <= MAX_CHARACTERS) return;
  const detail = `has ${length} characters as JSON; at most ${MAX_CHARACTERS} are stored.`;
  refuse([{ in: "body", name: "config.content", detail }]);
}

/** Returns whether `name` is `place` or lies below it. */
export const isWithin = (name: string, place: string): boolean =>
  name.startsWith(place) && /^($|[.[])/.test(name.slice(place.length));

const joinKey = ({ name, detail }: Issue): string => `${name}\n${detail}`;

function listIssues(catalog: Catalog, integration: Integration, content: Json): Issue[] {
  const manifest = integration.latestRevision.content;
  return checkConfig(
    content,
    manifest,
    listFeatures(catalog.of(integration.projectId).find(integration.provider), manifest.module),
  );
}

function refuse(issues: Issue[]): void {
  const [first] = issues;
  if (!first) return;
  throw new Problem("invalid-config", {
    detail: `${first.name}: ${first.detail}${issues.length > 1 ? ` (and ${issues.length - 1} more, see \`issues\`)` : ""}`,
    issues,
  });
}
