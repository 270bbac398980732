/** The dialog that registers a public key. */
import { useState, type FormEvent, type JSX } from "react";
import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { issueOf, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";

export function NewJwtKey({ onClose }: { onClose: () => void }): JSX.Element {
  const projectIdOrName = useProjectName();
  const [label, setLabel] = useState("");
  const [publicKeyPem, setPublicKeyPem] = useState("");
  const create = useChange("createJWTKey", { forget: ["listJWTKeys"] });
  const input = { projectIdOrName, body: { label, algorithm: "RS256" as const, publicKeyPem } };
  useDraft("createJWTKey", input);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(input, { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={onClose} title="New JWT key" size="lg">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Label"
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
            error={issueOf(create.error, "label")}
            required
            data-autofocus
          />
          <Textarea
            label="Public key (PEM)"
            placeholder="-----BEGIN PUBLIC KEY-----"
            value={publicKeyPem}
            onChange={(event) => setPublicKeyPem(event.currentTarget.value)}
            error={issueOf(create.error, "publicKeyPem")}
            required
            rows={8}
            classNames={{ input: "mono" }}
          />
          <ProblemView error={create.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
