/** The dialog that gives a customer another name. */
import type { JSX } from "react";
import { TextInput } from "@mantine/core";
import { useCallForm } from "../../api/call-form.ts";
import { useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

interface RenameCustomerProps {
  input: { projectIdOrName: string; groupRef: string };
  name: string;
  onClose: () => void;
}

export function RenameCustomer({ input, name, onClose }: RenameCustomerProps): JSX.Element {
  const { projectIdOrName, groupRef } = input;
  const rename = useChange("createGroup", {
    forget: ["getGroup", "listGroups", "listProjectConnections", "listProjectInstallations"],
  });
  const fields = useCallForm({ groupName: name }, rename.error);
  const { groupName } = fields.values;
  const sent = { projectIdOrName, body: { groupRef, groupName } };
  useDraft("createGroup", sent);
  return (
    <FormDialog
      title="Rename customer"
      submit="Rename"
      busy={rename.isPending}
      problem={<ProblemView error={rename.error} />}
      onSubmit={() => rename.mutate(sent, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput label="Name" {...fields.getInputProps("groupName")} required data-autofocus />
    </FormDialog>
  );
}
