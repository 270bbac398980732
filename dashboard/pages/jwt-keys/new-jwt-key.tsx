/** The dialog that registers a public key. */
import type { JSX } from "react";
import { Textarea, TextInput } from "@mantine/core";
import { useCallForm } from "../../api/call-form.ts";
import { useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";

export function NewJwtKey({ onClose }: { onClose: () => void }): JSX.Element {
  const projectIdOrName = useProjectName();
  const create = useChange("createJWTKey", { forget: ["listJWTKeys"] });
  const fields = useCallForm({ label: "", publicKeyPem: "" }, create.error);
  const input = { projectIdOrName, body: { ...fields.values, algorithm: "RS256" as const } };
  useDraft("createJWTKey", input);
  const submit = () => {
    create.mutate(input, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="New JWT key"
      size="lg"
      submit="Create"
      busy={create.isPending}
      problem={<ProblemView error={create.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput label="Label" {...fields.getInputProps("label")} required data-autofocus />
      <Textarea
        label="Public key (PEM)"
        placeholder="-----BEGIN PUBLIC KEY-----"
        {...fields.getInputProps("publicKeyPem")}
        required
        rows={8}
        classNames={{ input: "mono" }}
      />
    </FormDialog>
  );
}
