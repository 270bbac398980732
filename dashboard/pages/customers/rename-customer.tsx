/** The dialog that gives a customer another name. */
import { useState, type JSX } from "react";
import { Modal, TextInput } from "@mantine/core";
import { findIssue, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";

interface RenameCustomerProps {
  input: { projectIdOrName: string; groupRef: string };
  name: string;
  onClose: () => void;
}

export function RenameCustomer({ input, name, onClose }: RenameCustomerProps): JSX.Element {
  const { projectIdOrName, groupRef } = input;
  const [groupName, setGroupName] = useState(name);
  const rename = useChange("createGroup", {
    forget: ["getGroup", "listGroups", "listProjectConnections", "listProjectInstallations"],
  });
  const sent = { projectIdOrName, body: { groupRef, groupName } };
  useDraft("createGroup", sent);
  return (
    <Modal opened onClose={onClose} title="Rename customer">
      <DialogForm
        submit="Rename"
        busy={rename.isPending}
        problem={<ProblemView error={rename.error} />}
        onSubmit={() => rename.mutate(sent, { onSuccess: onClose })}
        onCancel={onClose}
      >
        <TextInput
          label="Name"
          value={groupName}
          onChange={(event) => setGroupName(event.currentTarget.value)}
          error={findIssue(rename.error, "groupName")}
          required
          data-autofocus
        />
      </DialogForm>
    </Modal>
  );
}
