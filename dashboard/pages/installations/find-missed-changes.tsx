/** The dialog that requests a reconciliation: which changes since a time were missed is found by reading. */
import type { JSX } from "react";
import { Text, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { useCallForm } from "../../api/call-form.ts";
import { useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { nowMs } from "../../ui/clock.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
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
  const request = useChange("reconcileSubscriptions", { forget: ["listSubscriptions"] });
  const fields = useCallForm(
    { since: lastEventTime ?? new Date(nowMs() - DAY_MS).toISOString() },
    request.error,
  );
  const { since } = fields.values;
  const call = { ...input, body: { since, objects: [objectName] } };
  useDraft("reconcileSubscriptions", call);
  return (
    <FormDialog
      title={`Find missed changes of ${objectName}`}
      submit="Find"
      busy={request.isPending}
      problem={<ProblemView error={request.error} />}
      onSubmit={() => request.mutate(call, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">
        Reads which records were changed or deleted, and delivers those that your destination does not have in
        their present state.
      </Text>
      <TextInput
        label="Since"
        description="RFC 3339, for example 2026-01-31T12:00:00Z"
        {...fields.getInputProps("since")}
        data-autofocus
      />
    </FormDialog>
  );
}
