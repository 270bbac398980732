/** The API keys of a project. */
import type { JSX } from "react";
import type { Schemas } from "../../api.gen.ts";
import { AnswerTable } from "../../frame/answer-table.tsx";
import { Page } from "../../frame/page.tsx";
import { useProjectName } from "../../frame/project.ts";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

const COLUMNS: Column<Schemas["ApiKey"]>[] = [
  { head: "Label", cell: ({ label }) => <span className="foreign">{label}</span>, grows: true, line: 1 },
  { head: "Key", cell: ({ key }) => <code>{key}</code>, line: 2 },
  { head: "Scopes", cell: ({ scopes }) => scopes.join(", "), line: 2 },
  { head: "Status", cell: ({ active }) => <Status status={active ? "active" : "inactive"} />, line: 1 },
  { head: "Created", cell: ({ createTime }) => <TimeAgo time={createTime} /> },
];

export function ApiKeysPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  return (
    <Page
      title="API keys"
      about="Your servers call Busbar with a key of the scope full; browsers with frontend."
    >
      <AnswerTable
        name="API keys"
        operationId="listApiKeys"
        input={{ projectIdOrName }}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={
          <EmptyState title="No API keys">
            A key lets a server or a browser call the API of this project.
          </EmptyState>
        }
      />
    </Page>
  );
}
