/** How long the project keeps each kind of history: its own days, within the operator's bounds. */
import { useState, type JSX } from "react";
import { NumberInput, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { findIssue, useCall, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useReason } from "../../frame/account/role.ts";
import { CodeWords } from "../../ui/code/code-block.tsx";
import { Section } from "../../ui/section.tsx";
import { SaveButton } from "../../ui/save-button.tsx";

type Kept = Answer<"getRetention">;
type Kind = keyof Kept;

const KINDS: readonly { kind: Kind; label: string; about: string }[] = [
  { kind: "operations", label: "Operations", about: "With their logs, and consents." },
  { kind: "events", label: "Events", about: "With their deliveries." },
  { kind: "dataMessages", label: "Data messages", about: "Delivered ones, with customers' records." },
  { kind: "proxyCalls", label: "Proxy calls", about: "Lines about them." },
  { kind: "refusedRequests", label: "Refused requests", about: "As the page Requests lists them." },
  { kind: "subscriptionEvents", label: "Subscription events", about: "As providers pushed them." },
];

export function Retention({ projectIdOrName }: { projectIdOrName: string }): JSX.Element {
  const { data, error, refetch } = useCall("getRetention", { projectIdOrName });
  return (
    <Section title="Retention">
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && <RetentionForm kept={data} projectIdOrName={projectIdOrName} />}
    </Section>
  );
}

/** The text of each field; if empty, the operator's days apply. */
type Days = Readonly<Record<Kind, number | "">>;

const describeDays = (kept: Kept): Days => {
  const own = (kind: Kind): number | "" => (kept[kind].isOwn ? kept[kind].days : "");
  return {
    operations: own("operations"),
    events: own("events"),
    dataMessages: own("dataMessages"),
    proxyCalls: own("proxyCalls"),
    refusedRequests: own("refusedRequests"),
    subscriptionEvents: own("subscriptionEvents"),
  };
};

function RetentionForm({ kept, projectIdOrName }: { kept: Kept; projectIdOrName: string }): JSX.Element {
  const before = describeDays(kept);
  const [days, setDays] = useState(before);
  const save = useChange("putRetention", { forget: ["getRetention"] });
  const reason = useReason("editor");
  const body = Object.fromEntries(Object.entries(days).filter(([, value]) => value !== ""));
  useDraft("putRetention", { projectIdOrName, body });
  const unchanged = KINDS.every(({ kind }) => days[kind] === before[kind]);
  const shorter = KINDS.filter(({ kind }) => days[kind] !== "" && days[kind] < kept[kind].days);
  return (
    <Stack gap="sm" maw={720}>
      <Text size="sm">For how many days rows are kept.</Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md" verticalSpacing="sm">
        {KINDS.map(({ kind, label, about }) => (
          <NumberInput
            key={kind}
            label={label}
            description={`${about} ${describeBounds(kept[kind])}`}
            placeholder={String(kept[kind].mostDays)}
            value={days[kind]}
            onChange={(value) => setDays({ ...days, [kind]: value === "" ? "" : Number(value) })}
            error={describeRefusal(save.error, kind)}
            inputWrapperOrder={["label", "input", "description", "error"]}
            hideControls
          />
        ))}
      </SimpleGrid>
      {shorter.length > 0 && (
        <Text size="sm">
          Older rows of {shorter.map(({ label }) => label.toLowerCase()).join(", ")} are removed within ten
          minutes and cannot be brought back.
        </Text>
      )}
      <ProblemView error={save.error} />
      <SaveButton
        save={save}
        unchanged={unchanged}
        reason={reason}
        onSave={() => save.mutate({ projectIdOrName, body })}
      >
        Save retention
      </SaveButton>
    </Stack>
  );
}

function describeRefusal(error: unknown, kind: Kind): JSX.Element | undefined {
  const detail = findIssue(error, kind);
  return detail === undefined ? undefined : <CodeWords text={detail} />;
}

const describeBounds = ({ leastDays, mostDays }: Kept[Kind]): string =>
  `${roundDays(leastDays)} to ${roundDays(mostDays)} days; empty: ${roundDays(mostDays)}.`;

const roundDays = (days: number): number => Math.round(days * 100) / 100;
