/** The dialog that sends a marked event to the destination of a subscription. */
import type { JSX } from "react";
import { NativeSelect, TextInput } from "@mantine/core";
import type { Input } from "../../api/call.ts";
import { useCallForm } from "../../api/call-form.ts";
import { useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import type { InstallationInput } from "./configuration/installation-input.ts";

type EventType = Input<"testSubscription">["body"]["eventType"];

const TYPES: { value: EventType; label: string }[] = [
  { value: "create", label: "a record was created" },
  { value: "update", label: "a record was updated" },
  { value: "delete", label: "a record was deleted" },
  { value: "associationUpdate", label: "an association was changed" },
  { value: "other", label: "another event" },
];

interface SendTestEventProps {
  objectName: string;
  input: InstallationInput;
  onSent: () => void;
  onClose: () => void;
}

export function SendTestEvent({ objectName, input, onSent, onClose }: SendTestEventProps): JSX.Element {
  const send = useChange("testSubscription");
  const fields = useCallForm({ eventType: "update" as EventType, recordId: "" }, send.error);
  const { eventType, recordId } = fields.values;
  const call = { ...input, body: { objectName, eventType, ...(recordId && { recordId }) } };
  useDraft("testSubscription", call);
  const done = () => {
    onSent();
    onClose();
  };
  return (
    <FormDialog
      title={`Send a test event of ${objectName}`}
      submit="Send"
      busy={send.isPending}
      problem={<ProblemView error={send.error} />}
      onSubmit={() => send.mutate(call, { onSuccess: done })}
      onClose={onClose}
    >
      <NativeSelect
        label="What happened"
        data={TYPES}
        {...fields.getInputProps("eventType")}
        data-autofocus
      />
      <TextInput
        label="Record id"
        description="Of a record in the customer's account, which is read. Empty: an event without values."
        {...fields.getInputProps("recordId")}
        autoComplete="off"
      />
    </FormDialog>
  );
}
