/** The dialog that changes an OAuth client: a new secret, other scopes. */
import { useState, type JSX } from "react";
import { Modal, PasswordInput, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { findIssue, useChange } from "../../api/queries.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";

interface ChangeProviderAppProps {
  app: Schemas["ProviderApp"];
  onClose: () => void;
}

export function ChangeProviderApp({ app, onClose }: ChangeProviderAppProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const [clientId, setClientId] = useState(app.clientId);
  const [clientSecret, setClientSecret] = useState("");
  const [scopes, setScopes] = useState((app.scopes ?? []).join(" "));
  const update = useChange("updateProviderApp", { forget: ["listProviderApps"] });
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
    <Modal opened onClose={onClose} title={`Provider app ${app.provider}`}>
      <DialogForm
        submit="Save"
        busy={update.isPending}
        problem={<ProblemView error={update.error} />}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextInput
          label="Client id"
          value={clientId}
          onChange={(event) => setClientId(event.currentTarget.value)}
          error={findIssue(update.error, "providerApp.clientId")}
          required
          autoComplete="off"
          data-autofocus
        />
        <PasswordInput
          label="Client secret"
          description="Empty: the stored secret stays."
          value={clientSecret}
          onChange={(event) => setClientSecret(event.currentTarget.value)}
          error={findIssue(update.error, "providerApp.clientSecret")}
          autoComplete="off"
        />
        <TextInput
          label="Scopes"
          description="Separated by spaces. Customers who are connected keep theirs until they connect again."
          value={scopes}
          onChange={(event) => setScopes(event.currentTarget.value)}
          error={findIssue(update.error, "providerApp.scopes")}
        />
      </DialogForm>
    </Modal>
  );
}
