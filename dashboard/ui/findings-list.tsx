/** The findings about a text as a list below its editor, for those who cannot see what is underlined. */
import type { JSX } from "react";
import { Text } from "@mantine/core";
import { formatCount } from "./format-count.ts";

interface ListedFinding {
  severity: "error" | "warning";
  /** Counted from 1. */
  line: number;
  /** Offset in the text. */
  from: number;
  message: string;
  remedy?: string;
  rule?: string;
}

interface FindingsListProps {
  /** Undefined until the first check has ended. */
  findings: readonly ListedFinding[] | undefined;
  /** What errors mean: "this manifest would be refused". */
  refused: string;
}

/** More are underlined in the text, but not listed. */
const MAX_LISTED = 50;

export function FindingsList({ findings, refused }: FindingsListProps): JSX.Element {
  // Takes the line of the result, so that no button moves under the pointer when it comes.
  if (!findings)
    return (
      <Text size="sm" mt="xs" c="dimmed">
        Checking…
      </Text>
    );
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return (
    <div role="region" aria-label="Findings">
      <Text size="sm" mt="xs" role="status">
        {findings.length === 0 ? "No findings." : describeFindings(errors, findings.length - errors, refused)}
      </Text>
      {findings.length > 0 && (
        <ul>
          {findings.slice(0, MAX_LISTED).map(({ line, from, severity, rule, message, remedy }) => (
            <li key={`${from} ${rule ?? ""} ${message}`}>
              <Text size="sm" component="span" className="foreign">
                <strong>{severity === "error" ? "Error" : "Warning"}</strong>, line {line}: {message} {remedy}{" "}
                {rule && <code>{rule}</code>}
              </Text>
            </li>
          ))}
        </ul>
      )}
      {findings.length > MAX_LISTED && (
        <Text size="sm">{findings.length - MAX_LISTED} more are underlined in the text.</Text>
      )}
    </div>
  );
}

const describeFindings = (errors: number, warnings: number, refused: string): string =>
  [
    errors > 0 ? `${formatCount(errors, "error")}: ${refused}` : "",
    warnings > 0 ? formatCount(warnings, "warning") : "",
  ]
    .filter(Boolean)
    .join("; ");
