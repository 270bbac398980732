/** The dialog that registers a public key. */
import { useState, type JSX } from "react";
import { Modal, Textarea, TextInput } from "@mantine/core";
import { findIssue, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";

export function NewJwtKey({ onClose }: { onClose: () => void }): JSX.Element {
  const projectIdOrName = useProjectName();
  const [label, setLabel] = useState("");
  const [publicKeyPem, setPublicKeyPem] = useState("");
  const create = useChange("createJWTKey", { forget: ["listJWTKeys"] });
  const input = { projectIdOrName, body: { label, algorithm: "RS256" as const, publicKeyPem } };
  useDraft("createJWTKey", input);
  const submit = () => {
    create.mutate(input, { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={onClose} title="New JWT key" size="lg">
      <DialogForm
        submit="Create"
        busy={create.isPending}
        problem={<ProblemView error={create.error} />}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextInput
          label="Label"
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          error={findIssue(create.error, "label")}
          required
          data-autofocus
        />
        <Textarea
          label="Public key (PEM)"
          placeholder="-----BEGIN PUBLIC KEY-----"
          value={publicKeyPem}
          onChange={(event) => setPublicKeyPem(event.currentTarget.value)}
          error={findIssue(create.error, "publicKeyPem")}
          required
          rows={8}
          classNames={{ input: "mono" }}
        />
      </DialogForm>
    </Modal>
  );
}
