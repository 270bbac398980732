/** Saves all audit events that fit the filters of the page as CSV. */
import { useState, type JSX } from "react";
import { Button, Stack } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { call } from "../../api/call.ts";
import { useFilters } from "../../frame/filters.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { saveText } from "../../ui/save-text.ts";
import { auditCsv } from "./audit-csv.ts";

const PAGE = 200;
/** The answer of a long page is held in the browser. */
const MOST_EVENTS = 50_000;

export function ExportAudit({ orgId }: { orgId: string }): JSX.Element {
  const [filters] = useFilters("operationId", "actor", "target", "since", "until", "projectId");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const save = async () => {
    setBusy(true);
    setError(undefined);
    try {
      saveText("audit.csv", "text/csv", auditCsv(await allEvents({ orgId, ...filters })));
    } catch (refusal) {
      setError(refusal instanceof Error ? refusal : new Error(String(refusal)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap={4}>
      <Button variant="default" loading={busy} onClick={() => void save()}>
        Export as CSV
      </Button>
      <ProblemView error={error} />
    </Stack>
  );
}

async function allEvents(input: { orgId: string }): Promise<Schemas["AuditEvent"][]> {
  const events: Schemas["AuditEvent"][] = [];
  let pageToken: string | undefined;
  do {
    const page = await call("listAuditEvents", { ...input, pageSize: PAGE, pageToken });
    events.push(...page.results);
    pageToken = page.pagination.done ? undefined : page.pagination.nextPageToken;
  } while (pageToken !== undefined && events.length < MOST_EVENTS);
  return events;
}
