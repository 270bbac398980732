/** The dialog that registers an OAuth client of a provider. */
import type { JSX } from "react";
import { NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import { useCallForm } from "../../api/call-form.ts";
import { useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useProviders } from "../../frame/data/providers.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";

export function NewProviderApp({ onClose }: { onClose: () => void }): JSX.Element {
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
