/** Who changed what in an organisation, and viewed which secret. */
import { type JSX, useMemo, useState } from "react";
import { useParams } from "@tanstack/react-router";
import { Button, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { useCall } from "../../api/queries.ts";
import { ListPage } from "../../frame/list-page.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { type FilterField, toOptions } from "../../ui/filter-bar.tsx";
import { describeStatus } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { call } from "../../api/call.ts";
import { useFilters } from "../../frame/data/filters.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { saveText } from "../../ui/save-text.ts";
import { writeAuditCsv } from "./write-audit-csv.ts";

type AuditEvent = Schemas["AuditEvent"];
type Project = Schemas["Project"];

const buildFilters = (projects: readonly Project[]): FilterField[] => [
  {
    kind: "choice",
    name: "projectId",
    label: "Project",
    options: projects.map(({ id, name }) => ({ value: id, label: name })),
  },
  { kind: "text", name: "operationId", label: "Action", placeholder: "deleteDestination" },
  { kind: "text", name: "actor", label: "Actor", placeholder: "Id of a person, key or agent" },
  {
    kind: "choice",
    name: "actorKind",
    label: "Kind of actor",
    options: toOptions(["person", "apiKey", "agent", "system"]),
  },
  { kind: "text", name: "target", label: "Target", placeholder: "Id of a resource" },
  { kind: "window", name: "since", label: "Window" },
];

const MORE_FILTERS = ["until"];

const buildColumns = (projects: readonly Project[]): Column<AuditEvent>[] => [
  { head: "Time", cell: ({ time }) => <TimeAgo time={time} />, line: 1 },
  {
    head: "Actor",
    cell: ({ actor }) => <span className="foreign">{actor.name ?? actor.id ?? "system"}</span>,
    line: 1,
  },
  {
    head: "Project",
    cell: ({ projectId }) => projects.find(({ id }) => id === projectId)?.name ?? projectId ?? "–",
  },
  {
    head: "Action",
    // Agents' rows include actions that were refused, with their outcome.
    cell: ({ operationId, outcome, count, lastTime }) => (
      <>
        <code>{operationId}</code> {outcome && describeStatus(outcome)}
        {lastTime !== undefined && (
          <span>
            {" "}
            {count} times, the last <TimeAgo time={lastTime} />
          </span>
        )}
      </>
    ),
    line: 2,
  },
  {
    head: "Target",
    cell: ({ target }) => (
      <span className="foreign">{target ? `${target.kind} ${target.name ?? target.id}` : "–"}</span>
    ),
    grows: true,
    line: 2,
  },
  {
    head: "Changed",
    cell: ({ changed = [] }) => <span className="foreign">{changed.join(", ") || "–"}</span>,
  },
  { head: "Request", cell: ({ requestId }) => <CopyButton text={requestId} label="Copy request id" /> },
];

export function AuditPage(): JSX.Element {
  const { org: orgId = "" } = useParams({ strict: false });
  const all = useCall("listProjects", {}).data;
  const projects = useMemo(() => all?.filter((project) => project.orgId === orgId) ?? [], [all, orgId]);
  const columns = useMemo(() => buildColumns(projects), [projects]);
  return (
    <ListPage
      title="Audit"
      about="Changes and views of secrets; values are not kept."
      operationId="listAuditEvents"
      input={{ orgId }}
      columns={columns}
      getId={({ id }) => id}
      filters={buildFilters(projects)}
      moreFilters={MORE_FILTERS}
      actions={<ExportAudit orgId={orgId} />}
      empty={<EmptyState title="Nothing was changed">Changes appear here with who made them.</EmptyState>}
    />
  );
}

const PAGE = 200;
/** All of them are held in the memory of the browser. */
const MAX_EVENTS = 50_000;

function ExportAudit({ orgId }: { orgId: string }): JSX.Element {
  const [filters] = useFilters("operationId", "actor", "actorKind", "target", "since", "until", "projectId");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const [isCut, setCut] = useState(false);
  const save = async () => {
    setBusy(true);
    setError(undefined);
    setCut(false);
    try {
      const { events, isAll } = await listNewestEvents({ orgId, ...filters });
      saveText("audit.csv", "text/csv", writeAuditCsv(events));
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

async function listNewestEvents(input: {
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
