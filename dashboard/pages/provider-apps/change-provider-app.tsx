/** The dialog that changes an OAuth client: a new secret, other scopes. */
import type { JSX } from "react";
import { PasswordInput, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { useCallForm } from "../../api/call-form.ts";
import { useChange } from "../../api/queries.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";

interface ChangeProviderAppProps {
  app: Schemas["ProviderApp"];
  onClose: () => void;
}

export function ChangeProviderApp({ app, onClose }: ChangeProviderAppProps): JSX.Element {
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
