/** The trace of a record: when it was seen, why it was left out, its messages with each answer, and writes to it. */
import type { JSX } from "react";
import { useParams } from "@tanstack/react-router";
import type { Schemas } from "../../api.gen.ts";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { encodePart, ProjectLink, toInstallationPath } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { CodeWords } from "../../ui/code/code-block.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

type Trace = Schemas["RecordTrace"];

export function RecordPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const {
    name: integrationId = "",
    id: installationId = "",
    object: objectName = "",
    record: recordId = "",
  } = useParams({ strict: false });
  const input = { projectIdOrName, integrationId, installationId, objectName, recordId };
  const { data, error, refetch } = useCall("getRecordTrace", input, { everyMs: POLL_MS.list });
  const { data: installation } = useCall("getInstallation", {
    projectIdOrName,
    integrationId,
    installationId,
  });
  const { data: integration } = useCall("getIntegration", {
    projectIdOrName,
    integrationIdOrName: integrationId,
  });
  const group = installation?.group;
  const above = toInstallationPath(integrationId, installationId);
  return (
    <Page
      title={`Record ${recordId}`}
      above={<ProjectLink to={above}>Installation of {integration?.name ?? integrationId}</ProjectLink>}
      about={
        <>
          {objectName}
          {group && (
            <>
              {" "}
              of{" "}
              <ProjectLink to={`/customers/${encodePart(group.groupRef)}`}>
                {group.groupName || group.groupRef}
              </ProjectLink>
            </>
          )}
        </>
      }
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && (
        <>
          <Obstacles obstacles={data.obstacles} />
          <Part
            title="Seen"
            rows={data.seen}
            columns={SEEN}
            getKey={(row) => `${row.time} ${row.eventId ?? row.messageId ?? ""}`}
          >
            It was neither read nor reported in the time for which deliveries are kept.
          </Part>
          <Part
            title="Messages"
            rows={data.messages}
            columns={MESSAGES}
            getKey={({ messageId }) => messageId}
          >
            No message contains it.
          </Part>
          <Part title="Writes" rows={data.writes} columns={WRITES} getKey={({ operationId }) => operationId}>
            Nobody wrote it through Busbar.
          </Part>
        </>
      )}
    </Page>
  );
}

const Obstacles = ({ obstacles }: Pick<Trace, "obstacles">): JSX.Element | null =>
  obstacles.length === 0 ? null : (
    <Section title="What keeps records from arriving" region="What keeps records from arriving">
      <ul>
        {obstacles.map(({ detail, remedy }) => (
          <li key={detail} className="foreign">
            <CodeWords text={detail} />
            <br />
            <b>What to do:</b> <CodeWords text={remedy} />
          </li>
        ))}
      </ul>
    </Section>
  );

interface PartProps<Row> {
  title: string;
  rows: readonly Row[];
  columns: Column<Row>[];
  getKey: (row: Row) => string;
  /** What is said of none. */
  children: string;
}

const Part = <Row,>({ title, rows, columns, getKey, children }: PartProps<Row>): JSX.Element => (
  <Section title={title} region={title}>
    {rows.length === 0 ? children : <DataTable name={title} rows={rows} columns={columns} getId={getKey} />}
  </Section>
);

const SEEN: Column<Trace["seen"][number]>[] = [
  { head: "Time", cell: ({ time }) => <TimeAgo time={time} focusable />, line: 1 },
  { head: "Outcome", cell: ({ outcome }) => <Status status={outcome} />, line: 1 },
  {
    head: "By",
    cell: ({ by, operationId }) =>
      operationId === undefined ? (
        by
      ) : (
        <ProjectLink to={`/operations/${encodePart(operationId)}`}>{by}</ProjectLink>
      ),
    line: 2,
  },
  {
    head: "Changed",
    cell: ({ changeTime }) =>
      changeTime === undefined ? "unknown" : <TimeAgo time={changeTime} focusable />,
    line: 2,
  },
  { head: "Why", cell: ({ reason }) => <span className="foreign">{reason ?? ""}</span>, grows: true },
  { head: "Message", cell: ({ messageId }) => <code>{messageId ?? "–"}</code> },
];

const MESSAGES: Column<Trace["messages"][number]>[] = [
  {
    head: "Message",
    cell: ({ messageId, destination }) =>
      destination === "" ? (
        <code>{messageId}</code>
      ) : (
        <ProjectLink to={`/destinations/${encodePart(destination)}/deliveries/${encodePart(messageId)}`}>
          <code>{messageId}</code>
        </ProjectLink>
      ),
    line: 1,
  },
  { head: "Status", cell: ({ status }) => <Status status={status} />, line: 1 },
  { head: "Destination", cell: ({ destination }) => destination || "deleted", line: 2 },
  { head: "Answers", cell: ({ attempts }) => <Answers attempts={attempts} />, grows: true, line: 2 },
];

const Answers = ({ attempts }: Pick<Trace["messages"][number], "attempts">): JSX.Element => (
  <>
    {attempts.length === 0 && "none yet"}
    {attempts.map(({ time, status, durationMs, detail }, index) => (
      <div key={`${time} ${index}`}>
        <TimeAgo time={time} focusable />: {status ?? "no answer"}, {durationMs} ms
        {detail !== undefined && <span className="foreign">, {detail}</span>}
      </div>
    ))}
  </>
);

const WRITES: Column<Trace["writes"][number]>[] = [
  { head: "Time", cell: ({ time }) => <TimeAgo time={time} focusable />, line: 1 },
  {
    head: "Write",
    cell: ({ type, operationId }) => (
      <ProjectLink to={`/operations/${encodePart(operationId)}`}>{type}</ProjectLink>
    ),
    line: 1,
  },
  { head: "Status", cell: ({ status }) => <Status status={status} />, grows: true, line: 2 },
];
