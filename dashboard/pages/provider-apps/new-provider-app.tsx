/** The dialog that registers an OAuth client of a provider. */
import { useState, type JSX } from "react";
import { Modal, NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import { findIssue, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useProviders } from "../../frame/data/providers.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";

export function NewProviderApp({ onClose }: { onClose: () => void }): JSX.Element {
  const projectIdOrName = useProjectName();
  const providers = useProviders() ?? {};
  const [provider, setProvider] = useState("");
  const [clientId, setClientId] = useState("");
  const [clientSecret, setClientSecret] = useState("");
  const [scopes, setScopes] = useState("");
  const create = useChange("createProviderApp", { forget: ["listProviderApps"] });
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
    <Modal opened onClose={onClose} title="New provider app">
      <DialogForm
        submit="Create"
        busy={create.isPending}
        problem={<ProblemView error={create.error} />}
        onSubmit={submit}
        onCancel={onClose}
      >
        <NativeSelect
          label="Provider"
          value={provider}
          onChange={(event) => setProvider(event.currentTarget.value)}
          data={[{ value: "", label: "Choose" }, ...withOAuth]}
          error={findIssue(create.error, "provider")}
          required
          data-autofocus
        />
        <TextInput
          label="Client id"
          value={clientId}
          onChange={(event) => setClientId(event.currentTarget.value)}
          error={findIssue(create.error, "clientId")}
          required
          autoComplete="off"
        />
        <PasswordInput
          label="Client secret"
          value={clientSecret}
          onChange={(event) => setClientSecret(event.currentTarget.value)}
          error={findIssue(create.error, "clientSecret")}
          required
          autoComplete="off"
        />
        <TextInput
          label="Scopes"
          description="Separated by spaces."
          value={scopes}
          onChange={(event) => setScopes(event.currentTarget.value)}
          error={findIssue(create.error, "scopes")}
        />
      </DialogForm>
    </Modal>
  );
}
