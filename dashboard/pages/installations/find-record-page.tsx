/** Finds the trace of a record, also of one that was never seen: in each installation and object of a customer. */
import type { JSX } from "react";
import { Group, Text, TextInput } from "@mantine/core";
import { ApiProblem, type Answer } from "../../api/call.ts";
import { useCall } from "../../api/queries.ts";
import { useFilters } from "../../frame/data/filters.ts";
import { encodePart, ProjectLink, toRecordPath } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { usePausedText } from "../../ui/paused-text.ts";

export function FindRecordPage(): JSX.Element {
  const [values, setValues] = useFilters("groupRef", "record");
  const { groupRef, record } = values;
  return (
    <Page
      title="Trace a record"
      about="Follows one record of a customer's account to your receivers, and says why it did not arrive."
    >
      <Group align="flex-end" mb="md">
        <Field
          label="Customer"
          placeholder="Id or name"
          value={groupRef ?? ""}
          onValue={(typed) => void setValues({ ...values, groupRef: typed.trim() })}
        />
        <Field
          label="Record"
          placeholder="The provider's id"
          value={record ?? ""}
          onValue={(typed) => void setValues({ ...values, record: typed.trim() })}
        />
      </Group>
      {groupRef !== undefined && record !== undefined ? (
        <Places groupRef={groupRef} record={record} />
      ) : (
        <Text size="sm" role="status">
          Name the customer and the record.
        </Text>
      )}
    </Page>
  );
}

interface FieldProps {
  label: string;
  placeholder: string;
  value: string;
  onValue: (value: string) => void;
}

function Field({ label, placeholder, value, onValue }: FieldProps): JSX.Element {
  const { typed, type } = usePausedText(value, onValue);
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}

interface Place {
  integrationId: string;
  integrationName: string;
  installationId: string;
  objectName: string;
  recordId: string;
}

function Places({ groupRef, record }: { groupRef: string; record: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  const installed = useCall("listProjectInstallations", { projectIdOrName, groupRef, pageSize: 200 });
  const integrations = useCall("listIntegrations", { projectIdOrName });
  const error = installed.error ?? integrations.error;
  if (!installed.data || !integrations.data) return <ProblemView error={error} />;
  const objects = new Map(integrations.data.map((one) => [one.id, listObjects(one)]));
  const places = installed.data.results.flatMap(({ id, integrationId, integrationName }) =>
    (objects.get(integrationId) ?? []).map((objectName) => ({
      integrationId,
      integrationName,
      installationId: id,
      objectName,
      recordId: record,
    })),
  );
  return (
    <Section flush>
      {places.length > 0 ? (
        <DataTable
          name="Where the record may be"
          columns={COLUMNS}
          rows={places}
          getId={({ installationId, objectName }) => `${installationId} ${objectName}`}
        />
      ) : (
        <NoPlace groupRef={groupRef} record={record} />
      )}
    </Section>
  );
}

/** Somebody may have typed the customer's name, or a part of it. */
function NoPlace({ groupRef, record }: { groupRef: string; record: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  const { data } = useCall("find", { projectIdOrName, q: groupRef.slice(0, 200) });
  const others = (data?.results ?? []).filter(({ kind, id }) => kind === "group" && id !== groupRef);
  return (
    <div role="status" style={{ padding: "1rem" }}>
      <Text size="sm">
        The customer <span className="foreign">{groupRef}</span> has no installation with objects, so nothing
        is read or subscribed to.{others.length > 0 && " Did you mean one of these?"}
      </Text>
      {others.length > 0 && (
        <ul>
          {others.map(({ id, name }) => (
            <li key={id}>
              <ProjectLink to={`/trace?groupRef=${encodePart(id)}&record=${encodePart(record)}`}>
                {name}
              </ProjectLink>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const listObjects = ({ latestRevision }: Answer<"listIntegrations">[number]): string[] => {
  const { read, subscribe, write } = latestRevision.content;
  const all = [read, subscribe, write].flatMap((action) => action?.objects ?? []);
  return [...new Set(all.map(({ objectName }) => objectName))];
};

const COLUMNS: Column<Place>[] = [
  {
    head: "Object",
    cell: ({ integrationId, installationId, objectName, recordId }) => (
      <ProjectLink to={toRecordPath({ integrationId, installationId }, objectName, recordId)}>
        {objectName}
      </ProjectLink>
    ),
    line: 1,
  },
  { head: "Installation of", cell: ({ integrationName }) => integrationName, line: 2 },
  { head: "Last seen", cell: (place) => <LastSeen {...place} />, grows: true, line: 1 },
];

function LastSeen({ integrationId, installationId, objectName, recordId }: Place): JSX.Element | string {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName, integrationId, installationId, objectName, recordId };
  const { data, error } = useCall("getRecordTrace", input);
  if (error instanceof ApiProblem && error.problem.status === 404) return "never; open it to see why";
  if (error && !data) return error.message;
  const [newest] = data?.seen ?? [];
  if (!newest) return data ? "only written" : "";
  return (
    <>
      <Status status={newest.outcome} /> <TimeAgo time={newest.time} focusable />
    </>
  );
}
