/** The dialog that sends a marked event to the destination of a subscription. */
import { useState, type JSX } from "react";
import { Modal, NativeSelect, TextInput } from "@mantine/core";
import type { Input } from "../../api/call.ts";
import { findIssue, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
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
  const [eventType, setEventType] = useState<EventType>("update");
  const [recordId, setRecordId] = useState("");
  const send = useChange("testSubscription");
  const call = { ...input, body: { objectName, eventType, ...(recordId && { recordId }) } };
  useDraft("testSubscription", call);
  const done = () => {
    onSent();
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={`Send a test event of ${objectName}`}>
      <DialogForm
        submit="Send"
        busy={send.isPending}
        problem={<ProblemView error={send.error} />}
        onSubmit={() => send.mutate(call, { onSuccess: done })}
        onCancel={onClose}
      >
        <NativeSelect
          label="What happened"
          data={TYPES}
          value={eventType}
          onChange={(event) =>
            setEventType(TYPES.find(({ value }) => value === event.currentTarget.value)?.value ?? "update")
          }
          data-autofocus
        />
        <TextInput
          label="Record id"
          description="Of a record in the customer's account, which is read. Empty: an event without values."
          value={recordId}
          onChange={(event) => setRecordId(event.currentTarget.value)}
          error={findIssue(send.error, "recordId")}
          autoComplete="off"
        />
      </DialogForm>
    </Modal>
  );
}
