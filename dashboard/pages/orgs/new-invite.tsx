/** The dialog that invites a person, and then shows the link to send. */
import type { JSX } from "react";
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useCallForm } from "../../api/call-form.ts";
import { useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { ROLES, type Role } from "../../frame/account/role.ts";
import { IdText } from "../../ui/id-text.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

const WORDS: Record<Role, string> = {
  viewer: "viewer: reads, without secrets",
  support: "support: also resends, checks and cancels",
  editor: "editor: changes everything in projects",
  owner: "owner: also people and deletion",
};

export function NewInvite({ orgId, onClose }: { orgId: string; onClose: () => void }): JSX.Element {
  const create = useChange("createOrgInvite", { forget: ["listOrgInvites"] });
  const fields = useCallForm({ email: "", role: "editor" as Role }, create.error);
  const input = { orgId, body: fields.values };
  useDraft("createOrgInvite", input);
  const submit = () => {
    create.mutate(input);
  };
  if (create.data) {
    return (
      <Modal opened onClose={onClose} title="Invitation">
        <Stack>
          <Text size="sm">
            Busbar sends no mail. Send this link to{" "}
            <span className="foreign">{create.data.invitedEmail}</span>; the person signs in and accepts there
            within seven days.
          </Text>
          <IdText id={`${location.origin}/account`} label="Copy link" />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    );
  }
  return (
    <FormDialog
      title="Invite"
      submit="Create"
      busy={create.isPending}
      problem={<ProblemView error={create.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="E-mail address"
        type="email"
        {...fields.getInputProps("email")}
        required
        data-autofocus
      />
      <NativeSelect
        label="Role"
        {...fields.getInputProps("role")}
        data={ROLES.map((value) => ({ value, label: WORDS[value] }))}
      />
    </FormDialog>
  );
}
