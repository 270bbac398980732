/** Asks for a range of deliveries, shows how many would be sent, and resends them. */
import { useEffect, useState, type JSX } from "react";
import { Modal, Text, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import type { Input } from "../../api/call.ts";
import { useCallForm } from "../../api/call-form.ts";
import { useChange } from "../../api/queries.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { DialogForm } from "../../ui/form-dialog.tsx";
import { formatExactTime } from "../../ui/time-words.ts";

interface ResendRangeProps {
  destination: Pick<Schemas["Destination"], "name" | "createTime" | "health">;
  opened: boolean;
  onClose: () => void;
  /** Called with the number that is sent again. */
  onResent: (count: number) => void;
}

export const ResendRange = (props: ResendRangeProps): JSX.Element => (
  <Modal opened={props.opened} onClose={props.onClose} title="Resend a range">
    <Form {...props} />
  </Modal>
);

function Form({ destination, onClose, onResent }: ResendRangeProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const count = useChange("resendDeliveries");
  const resend = useChange("resendDeliveries", { forget: ["listDeliveries", "getDestination"] });
  const fields = useCallForm({ since: proposeStart(destination), until: "" }, resend.error ?? count.error);
  const { since, until } = fields.values;
  const body = { since, ...(until && { until }), status: "undelivered" as const };
  const text = JSON.stringify({ projectIdOrName, destination: destination.name, body });
  const { mutate } = count;
  const [counted, setCounted] = useState("");
  useEffect(() => {
    const input = JSON.parse(text) as Input<"resendDeliveries">;
    const ask = () =>
      mutate({ ...input, body: { ...input.body, dryRun: true } }, { onSuccess: () => setCounted(text) });
    const timer = setTimeout(ask, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, mutate]);
  // The number is of these times, not of those before.
  const found = counted === text ? count.data?.count : undefined;
  return (
    <DialogForm
      submit="Resend"
      busy={resend.isPending}
      disabled={!found}
      problem={<ProblemView error={resend.error ?? count.error} />}
      onSubmit={() => {
        resend.mutate(
          { projectIdOrName, destination: destination.name, body },
          {
            onSuccess: ({ count: sent }) => {
              onResent(sent);
              onClose();
            },
          },
        );
      }}
      onClose={onClose}
    >
      <TextInput
        label="Since"
        description={`RFC 3339, for example 2026-01-31T12:00:00Z. ${formatHere(since)}`}
        {...fields.getInputProps("since")}
        data-autofocus
      />
      <TextInput
        label="Until"
        description={`Empty: now. ${formatHere(until)}`}
        {...fields.getInputProps("until")}
      />
      <Text role="status">
        {count.isPending && "Counting …"}
        {found === 0 && "Nothing in this range is undelivered."}
        {found !== undefined &&
          found > 0 &&
          `${found} undelivered ${found === 1 ? "delivery" : "deliveries"} will be sent now, with the ids they had: those that failed, and those that wait for a retry.`}
      </Text>
    </DialogForm>
  );
}

/** A call for each key would only be refused. */
const TYPING_MS = 300;

/** Returns the time in the zone of the browser. */
const formatHere = (time: string): string =>
  Number.isNaN(Date.parse(time)) ? "" : `Here: ${formatExactTime(time)}.`;

const MINUTE_MS = 60_000;

/**
 * Returns the start of the outage, or of the destination. The first attempt that failed was for an event of up to a minute
 * before, which is the longest time that an attempt takes.
 */
function proposeStart({ health, createTime }: ResendRangeProps["destination"]): string {
  if (!health?.failingSince) return createTime;
  const minutes = Math.floor(Date.parse(health.failingSince) / MINUTE_MS) - 1;
  return new Date(minutes * MINUTE_MS).toISOString();
}
