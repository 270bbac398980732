/** The OAuth clients that the project registered with providers. */
import { type JSX, useState } from "react";
import { Button, Group, NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { useChange } from "../../api/queries.ts";
import { AnswerTable } from "../../frame/data/answer-table.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { ProviderName } from "../../frame/data/provider-name.tsx";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { useCallForm } from "../../api/call-form.ts";
import { useDraft } from "../../frame/drafts.ts";
import { useProviders } from "../../frame/data/providers.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";

type ProviderApp = Schemas["ProviderApp"];

const COLUMNS: Column<ProviderApp>[] = [
  { head: "Provider", cell: ({ provider }) => <ProviderName provider={provider} />, line: 1 },
  {
    head: "Client id",
    cell: ({ clientId }) => <code className="foreign">{clientId}</code>,
    grows: true,
    line: 2,
  },
  { head: "Scopes", cell: ({ scopes = [] }) => <span className="foreign">{scopes.join(" ") || "–"}</span> },
  { head: "Created", cell: ({ createTime }) => <TimeAgo time={createTime} /> },
];

interface Changes {
  mayChange: boolean;
  onChange: (app: ProviderApp) => void;
  onDelete: (app: ProviderApp) => void;
}

const buildActions = ({ mayChange, onChange, onDelete }: Changes): Column<ProviderApp> => ({
  head: "Actions",
  line: 1,
  cell: (app) => (
    <Group gap={4} wrap="nowrap">
      <Button size="compact-sm" variant="default" disabled={!mayChange} onClick={() => onChange(app)}>
        Change
      </Button>
      <Button size="compact-sm" variant="default" disabled={!mayChange} onClick={() => onDelete(app)}>
        Delete
      </Button>
    </Group>
  ),
});

/** Where providers send customers back to. */
const redirectUri = (): string => `${location.origin}/callbacks/v1/oauth`;

export function ProviderAppsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const reason = useReason("editor");
  const [making, setMaking] = useState(false);
  const [deleting, setDeleting] = useState<ProviderApp>();
  const [changing, setChanging] = useState<ProviderApp>();
  const columns = [
    ...COLUMNS,
    buildActions({ mayChange: reason === undefined, onChange: setChanging, onDelete: setDeleting }),
  ];
  const remove = useChange("deleteProviderApp", { forget: ["listProviderApps"] });
  return (
    <Page
      title="Provider apps"
      about={
        <>
          Register this redirect URI at the provider: <IdText id={redirectUri()} label="Copy redirect URI" />
        </>
      }
      actions={
        <ActionButton reason={reason} onClick={() => setMaking(true)}>
          New provider app
        </ActionButton>
      }
    >
      <AnswerTable
        name="Provider apps"
        operationId="listProviderApps"
        input={{ projectIdOrName }}
        columns={columns}
        getId={({ id }) => id}
        empty={
          <EmptyState
            title="No provider apps"
            action="Register an OAuth client"
            reason={reason}
            onAction={() => setMaking(true)}
          >
            Customers connect through an OAuth client that you register with the provider. Its id and secret
            belong here.
          </EmptyState>
        }
      />
      {making && <NewProviderApp onClose={() => setMaking(false)} />}
      {changing && <ChangeProviderApp app={changing} onClose={() => setChanging(undefined)} />}
      {deleting && (
        <ConfirmDelete
          opened
          what={`provider app ${deleting.provider}`}
          typeName={deleting.provider}
          busy={remove.isPending}
          problem={<ProblemView error={remove.error} />}
          onDelete={() =>
            remove.mutate(
              { projectIdOrName, providerAppId: deleting.id },
              { onSuccess: () => setDeleting(undefined) },
            )
          }
          onClose={() => setDeleting(undefined)}
        >
          Connections of {deleting.provider} that were made with it can no longer refresh their tokens.
        </ConfirmDelete>
      )}
    </Page>
  );
}

function NewProviderApp({ onClose }: { onClose: () => void }): JSX.Element {
  const projectIdOrName = useProjectName();
  const providers = useProviders() ?? {};
  const create = useChange("createProviderApp", { forget: ["listProviderApps"] });
  const fields = useCallForm({ provider: "", clientId: "", clientSecret: "", scopes: "" }, create.error);
  const { provider, clientId, clientSecret, scopes } = fields.values;
  const body = { provider, clientId, scopes: scopes.split(/[\s,]+/).filter(Boolean) };
  useDraft("createProviderApp", { projectIdOrName, body: { ...body, clientSecret: "…" } });
  const submit = () => {
    create.mutate({ projectIdOrName, body: { ...body, clientSecret } }, { onSuccess: onClose });
  };
  const withOAuth = Object.entries(providers)
    .filter(([, { authType }]) => authType === "oauth2")
    .map(([value, { displayName }]) => ({ value, label: displayName ?? value }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
  return (
    <FormDialog
      title="New provider app"
      submit="Create"
      busy={create.isPending}
      problem={<ProblemView error={create.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <NativeSelect
        label="Provider"
        {...fields.getInputProps("provider")}
        data={[{ value: "", label: "Choose" }, ...withOAuth]}
        required
        data-autofocus
      />
      <TextInput label="Client id" {...fields.getInputProps("clientId")} required autoComplete="off" />
      <PasswordInput
        label="Client secret"
        {...fields.getInputProps("clientSecret")}
        required
        autoComplete="off"
      />
      <TextInput label="Scopes" description="Separated by spaces." {...fields.getInputProps("scopes")} />
    </FormDialog>
  );
}

interface ChangeProviderAppProps {
  app: Schemas["ProviderApp"];
  onClose: () => void;
}

/** Shows the dialog that changes an OAuth client: a new secret, other scopes. */
function ChangeProviderApp({ app, onClose }: ChangeProviderAppProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const update = useChange("updateProviderApp", { forget: ["listProviderApps"] });
  const fields = useCallForm(
    { clientId: app.clientId, clientSecret: "", scopes: (app.scopes ?? []).join(" ") },
    update.error,
    "providerApp.",
  );
  const { clientId, clientSecret, scopes } = fields.values;
  const submit = () => {
    const providerApp = {
      clientId,
      scopes: scopes.split(/[\s,]+/).filter(Boolean),
      ...(clientSecret !== "" && { clientSecret }),
    };
    const body = { updateMask: Object.keys(providerApp), providerApp };
    update.mutate({ projectIdOrName, providerAppId: app.id, body }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={`Provider app ${app.provider}`}
      submit="Save"
      busy={update.isPending}
      problem={<ProblemView error={update.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Client id"
        {...fields.getInputProps("clientId")}
        required
        autoComplete="off"
        data-autofocus
      />
      <PasswordInput
        label="Client secret"
        description="Empty: the stored secret stays."
        {...fields.getInputProps("clientSecret")}
        autoComplete="off"
      />
      <TextInput
        label="Scopes"
        description="Separated by spaces. Customers who are connected keep theirs until they connect again."
        {...fields.getInputProps("scopes")}
      />
    </FormDialog>
  );
}
