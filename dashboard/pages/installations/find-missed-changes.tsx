/** The dialog that requests a reconciliation: which changes since a time were missed is found by reading. */
import { useState, type JSX } from "react";
import { Modal, Text, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { findIssue, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { nowMs } from "../../ui/clock.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";
import type { InstallationInput } from "./configuration/installation-input.ts";

const DAY_MS = 86_400_000;

interface FindMissedChangesProps {
  subscription: Pick<Schemas["Subscription"], "objectName" | "lastEventTime">;
  input: InstallationInput;
  onClose: () => void;
}

export function FindMissedChanges(props: FindMissedChangesProps): JSX.Element {
  const { subscription, input, onClose } = props;
  const { objectName, lastEventTime } = subscription;
  const [since, setSince] = useState(() => lastEventTime ?? new Date(nowMs() - DAY_MS).toISOString());
  const request = useChange("reconcileSubscriptions", { forget: ["listSubscriptions"] });
  const call = { ...input, body: { since, objects: [objectName] } };
  useDraft("reconcileSubscriptions", call);
  return (
    <Modal opened onClose={onClose} title={`Find missed changes of ${objectName}`}>
      <DialogForm
        submit="Find"
        busy={request.isPending}
        problem={<ProblemView error={request.error} />}
        onSubmit={() => request.mutate(call, { onSuccess: onClose })}
        onCancel={onClose}
      >
        <Text size="sm">
          Reads which records were changed or deleted, and delivers those that your destination does not have
          in their present state.
        </Text>
        <TextInput
          label="Since"
          description="RFC 3339, for example 2026-01-31T12:00:00Z"
          value={since}
          onChange={(event) => setSince(event.currentTarget.value)}
          error={findIssue(request.error, "since")}
          data-autofocus
        />
      </DialogForm>
    </Modal>
  );
}
