/** What a deployment would change: per integration as the command line shows it, and line by line. */
import type { JSX } from "react";
import { Text } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { CodeEditor } from "../../ui/code/code-editor.tsx";
import { formatCount } from "../../ui/format-count.ts";
import { Section } from "../../ui/section.tsx";

export type Deployment = Answer<"batchUpsertIntegrations">;
type Planned = Extract<Deployment[number], { change: string }>;
type Change = Planned["changes"][number];

interface ManifestComparisonProps {
  planned: Deployment;
  before: string | undefined;
  after: string;
}

export const ManifestComparison = ({ planned, before, after }: ManifestComparisonProps): JSX.Element => (
  <>
    {planned.map((one) => (isPlanned(one) ? <Changes key={one.name} planned={one} /> : null))}
    {before !== undefined && before !== after && (
      <Section title="Line by line">
        <CodeEditor
          name="Differences"
          language="yaml"
          value={after}
          original={before}
          readOnly
          height={320}
        />
      </Section>
    )}
  </>
);

const isPlanned = (one: Deployment[number]): one is Planned => "change" in one;

const Changes = ({ planned }: { planned: Planned }): JSX.Element => (
  <Section
    title={`${planned.name}: ${planned.change}, ${formatCount(planned.installationCount, "installation")}`}
  >
    {planned.changes.length === 0 && (
      <Text size="sm">{planned.change === "added" ? "A new integration." : "No differences."}</Text>
    )}
    {planned.changes.map((change) => (
      <Text key={`${change.kind} ${change.path}`} size="sm" className="mono foreign">
        {describeChange(change)}
      </Text>
    ))}
    {planned.warnings.map(({ line, message, rule, remedy }) => (
      <Text key={`${line} ${rule} ${message}`} size="sm" className="foreign">
        {`Warning, line ${line}: ${message} ${remedy}`}
      </Text>
    ))}
  </Section>
);

/** Returns the words of `busbar deploy`. */
function describeChange({ kind, path, before, after }: Change): string {
  const value = (given: Change["before"]) => (given === undefined ? "…" : JSON.stringify(given));
  if (kind === "changed") return `~ ${path}: ${value(before)} → ${value(after)}`;
  const given = kind === "added" ? after : before;
  return `${kind === "added" ? "+" : "-"} ${path}${given === undefined ? "" : `: ${value(given)}`}`;
}

/** Returns whether objects that installations read are gone from the manifest. */
export const removesReading = (planned: Deployment): boolean =>
  planned.some(
    (one) =>
      isPlanned(one) &&
      one.installationCount > 0 &&
      one.changes.some(({ kind, path }) => kind === "removed" && /^read(\.objects(\.[^.]+)?)?$/.test(path)),
  );
