/** The projects of an organisation. */
import { useState, type JSX } from "react";
import { TextInput } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { Schemas } from "../../api.gen.ts";
import { useCallForm } from "../../api/call-form.ts";
import { useChange } from "../../api/queries.ts";
import { AnswerTable } from "../../frame/data/answer-table.tsx";
import { PageLink, encodePart } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

const COLUMNS: Column<Schemas["Project"]>[] = [
  {
    head: "Name",
    cell: ({ name }) => <PageLink to={`/projects/${encodePart(name)}`}>{name}</PageLink>,
    line: 1,
  },
  {
    head: "Application",
    cell: ({ appName }) => <span className="foreign">{appName}</span>,
    grows: true,
    line: 2,
  },
  { head: "Id", cell: ({ id }) => <IdText id={id} /> },
  { head: "Created", cell: ({ createTime }) => <TimeAgo time={createTime} />, line: 2 },
];

export function ProjectsPage(): JSX.Element {
  const { org: orgId = "" } = useParams({ strict: false });
  const reason = useReason("editor");
  const [making, setMaking] = useState(false);
  return (
    <Page
      title="Projects"
      about="A project per environment or per product: each has its own keys, customers and events."
      actions={
        <ActionButton reason={reason} onClick={() => setMaking(true)}>
          New project
        </ActionButton>
      }
    >
      <AnswerTable
        name="Projects"
        operationId="listProjects"
        input={{}}
        columns={COLUMNS}
        getId={({ id }) => id}
        choose={(rows) => rows.filter((row) => row.orgId === orgId)}
        empty={<EmptyState title="No projects">A project holds integrations and customers.</EmptyState>}
      />
      {making && <NewProject orgId={orgId} onClose={() => setMaking(false)} />}
    </Page>
  );
}

function NewProject({ orgId, onClose }: { orgId: string; onClose: () => void }): JSX.Element {
  const create = useChange("createProject", { forget: ["listProjects", "getMyInfo"] });
  const fields = useCallForm({ name: "", appName: "" }, create.error);
  const submit = () => {
    create.mutate({ body: { orgId, ...fields.values } }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="New project"
      submit="Create"
      busy={create.isPending}
      problem={<ProblemView error={create.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Letters, digits and hyphens; part of addresses."
        {...fields.getInputProps("name")}
        required
        data-autofocus
      />
      <TextInput
        label="Application"
        description="Customers see it when they connect."
        {...fields.getInputProps("appName")}
        required
      />
    </FormDialog>
  );
}
