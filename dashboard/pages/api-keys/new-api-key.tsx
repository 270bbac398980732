/** The dialog that creates an API key, or one in place of another, and shows it this one time. */
import { useState, type JSX } from "react";
import { Checkbox, Modal, NativeSelect, Text, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { issueOf, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";

export interface NewApiKeyProps {
  /** The key that the new one replaces: it gets the same scopes. */
  instead: Schemas["ApiKey"] | undefined;
  onClose: () => void;
}

export function NewApiKey({ instead, onClose }: NewApiKeyProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const [label, setLabel] = useState(instead?.label ?? "");
  const [scope, setScope] = useState(instead?.scopes.includes("full") === false ? "frontend" : "full");
  const [signIn, setSignIn] = useState(instead?.signIn ?? false);
  const create = useChange("createApiKey", { forget: ["listApiKeys"] });
  const scopes: ("full" | "frontend")[] = scope === "full" ? ["full"] : ["frontend"];
  const input = {
    projectIdOrName,
    body: { label, scopes, ...(signIn && scope === "full" && { signIn }) },
  };
  useDraft("createApiKey", input);
  const submit = () => {
    create.mutate(input);
  };
  const done = () => {
    // The key is kept nowhere, the answer of the call included.
    create.reset();
    onClose();
  };
  if (create.data)
    return <SecretOnce secret={create.data.key} title="New API key" label="API key" onDone={done} />;
  return (
    <Modal opened onClose={onClose} title={instead ? `Replace ${instead.label}` : "New API key"}>
      <DialogForm
        submit="Create"
        busy={create.isPending}
        problem={<ProblemView error={create.error} />}
        onSubmit={submit}
        onCancel={onClose}
      >
        {instead && <Steps />}
        <TextInput
          label="Label"
          description="Where it is used, for example the name of a server."
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          error={issueOf(create.error, "label")}
          required
          maxLength={255}
          data-autofocus
        />
        <NativeSelect
          label="Used by"
          value={scope}
          onChange={(event) => setScope(event.currentTarget.value)}
          data={[
            { value: "full", label: "A server: everything in the project (full)" },
            { value: "frontend", label: "A browser: connecting and installing (frontend)" },
          ]}
        />
        {scope === "full" && (
          <Checkbox
            label="I sign in with this key"
            checked={signIn}
            onChange={(event) => setSignIn(event.currentTarget.checked)}
          />
        )}
      </DialogForm>
    </Modal>
  );
}

const Steps = (): JSX.Element => (
  <Text size="sm">
    Put the new key where the old one is. When the old one's last use stands still, switch it off and delete
    it later.
  </Text>
);
