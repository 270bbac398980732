/** Saves the audit events that fit the filters of the page as CSV, up to a number that it names. */
import { useState, type JSX } from "react";
import { Button, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { call } from "../../api/call.ts";
import { useFilters } from "../../frame/data/filters.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { saveText } from "../../ui/save-text.ts";
import { auditCsv } from "./audit-csv.ts";

const PAGE = 200;
/** All of them are held in the memory of the browser. */
const MAX_EVENTS = 50_000;

export function ExportAudit({ orgId }: { orgId: string }): JSX.Element {
  const [filters] = useFilters("operationId", "actor", "actorKind", "target", "since", "until", "projectId");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const [isCut, setCut] = useState(false);
  const save = async () => {
    setBusy(true);
    setError(undefined);
    setCut(false);
    try {
      const { events, isAll } = await newestEvents({ orgId, ...filters });
      saveText("audit.csv", "text/csv", auditCsv(events));
      setCut(!isAll);
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
      <Text size="xs" role="status" maw={280}>
        {isCut && `The file has the newest ${MAX_EVENTS} events. Filter by time to save older ones.`}
      </Text>
      <ProblemView error={error} />
    </Stack>
  );
}

async function newestEvents(input: {
  orgId: string;
}): Promise<{ events: Schemas["AuditEvent"][]; isAll: boolean }> {
  const events: Schemas["AuditEvent"][] = [];
  let pageToken: string | undefined;
  do {
    const page = await call("listAuditEvents", { ...input, pageSize: PAGE, pageToken });
    events.push(...page.results);
    pageToken = page.pagination.done ? undefined : page.pagination.nextPageToken;
  } while (pageToken !== undefined && events.length < MAX_EVENTS);
  return { events, isAll: pageToken === undefined };
}
