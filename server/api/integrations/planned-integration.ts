/** What a deployment would change in one integration, as the answer of a dry run shows it. */
import { Type, type Static } from "typebox";
import { compareManifests } from "../../../manifest/manifest-changes.ts";
import type { Json } from "../../../ground/json.ts";
import type { Integration } from "../integration.ts";
import { ProviderName } from "../members.ts";

const value = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()], { description }));

const ChangeSchema = Type.Object(
  {
    kind: Type.Enum(["added", "removed", "changed"], { description: "What happens at this place." }),
    path: Type.String({
      description: "Place in the integration, for example `read.objects.contacts.schedule`.",
    }),
    before: value("The value in the current revision. Absent for blocks and for what is added."),
    after: value("The value in the manifest. Absent for blocks and for what is removed."),
  },
  { title: "ManifestChange", description: "One difference between the current revision and the manifest." },
);

/** The warning about a manifest as the API shows it. */
export const WarningSchema = Type.Object(
  {
    rule: Type.String({ description: "Name of the rule that was broken." }),
    message: Type.String({ description: "Description of the warning." }),
    line: Type.Integer({ description: "Line in the manifest." }),
    column: Type.Integer({ description: "Column in the manifest." }),
    path: Type.String({ description: "JSON path in the manifest." }),
    remedy: Type.String({ description: "How to fix it." }),
  },
  { title: "ManifestWarning", description: "A warning about a manifest. The manifest is valid." },
);

export const PlannedIntegrationSchema = Type.Object(
  {
    name: Type.String({ description: "Name of the integration." }),
    provider: ProviderName,
    change: Type.Enum(["added", "changed", "unchanged"], {
      description: "What the deployment would do. It stores a new revision of an unchanged integration too.",
    }),
    changes: Type.Array(ChangeSchema, {
      description: "Differences to the current revision; empty for an added integration.",
    }),
    installationCount: Type.Integer({ description: "Installations that would use the new revision." }),
    warnings: Type.Array(WarningSchema, {
      description:
        "Warnings about this integration's part of the manifest; the first one has those about the whole file, too.",
    }),
  },
  {
    title: "PlannedIntegration",
    description: "What the deployment of a manifest would change in an integration.",
  },
);

export function toPlanned(
  planned: {
    row: Integration;
    before: Integration | undefined;
    warnings: Static<typeof WarningSchema>[];
  },
  installationCounts: ReadonlyMap<string, number>,
): Static<typeof PlannedIntegrationSchema> {
  const { row, before, warnings } = planned;
  const changes = before
    ? compareManifests(asJson(before.latestRevision.content), asJson(row.latestRevision.content))
    : [];
  return {
    name: row.name,
    provider: row.provider,
    change: !before ? "added" : changes.length > 0 ? "changed" : "unchanged",
    changes: changes.map(({ kind, path, before: was, after: is }) => ({
      kind,
      path,
      ...(isValue(was) && { before: was }),
      ...(isValue(is) && { after: is }),
    })),
    installationCount: installationCounts.get(row.id) ?? 0,
    warnings,
  };
}

/** Contents of revisions are stored as JSON. */
const asJson = (content: object): Json => content as Json;

const isValue = (candidate: Json | undefined): candidate is string | number | boolean =>
  candidate !== undefined && candidate !== null && typeof candidate !== "object";
