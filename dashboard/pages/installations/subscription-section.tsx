/** One object that an installation subscribes to: the source of its changes, and its state. */
import { type JSX, useState } from "react";
import { Group, Text, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { POLL_MS, useCall, useChange } from "../../api/queries.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import type { InstallationInput } from "./configuration/installation-input.ts";
import { SendTestEvent } from "./send-test-event.tsx";
import { useCallForm } from "../../api/call-form.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { nowMs } from "../../ui/clock.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";

type Subscription = Schemas["Subscription"];

const SOURCES: Record<Subscription["source"], string> = {
  webhook: "The provider pushes them",
  pubsub: "Busbar reads the provider's stream",
  polling: "Busbar asks the provider at intervals",
  journal: "From the provider's journal",
};

interface SubscriptionSectionProps {
  subscription: Subscription;
  input: InstallationInput;
}

export function SubscriptionSection({ subscription, input }: SubscriptionSectionProps): JSX.Element {
  const { objectName, state, reason, source, lastEventTime, polledUntil, counts } = subscription;
  const { reconciliation, warnings = [] } = subscription;
  return (
    <Section
      title={objectName}
      region={`Subscription to ${objectName}`}
      actions={<Actions {...{ subscription, input }} />}
    >
      <Facts
        facts={{
          State: isSilent(subscription) ? (
            <Status status="pending">active, no event yet</Status>
          ) : (
            <Status status={state} />
          ),
          Changes: SOURCES[source],
          "Last event": <TimeAgo time={lastEventTime} none="none yet" focusable />,
          "Known until": polledUntil && <TimeAgo time={polledUntil} focusable />,
          Waiting: <Waiting objectName={objectName} input={input} />,
          "So far": `${counts.received} received, ${counts.delivered} delivered, ${counts.filtered} filtered, ${counts.duplicates} sent again`,
          Delivered: describeEvents(subscription),
          "Missed changes": reconciliation && <Reconciliation reconciliation={reconciliation} />,
        }}
      />
      {reason && (
        <Text size="sm" mt="xs">
          {reason}
        </Text>
      )}
      {warnings.map((warning) => (
        <Text key={warning} size="sm" mt="xs" component="div">
          <Status status="partial">{warning}</Status>
        </Text>
      ))}
    </Section>
  );
}

/** Nothing tells whether pushes arrive before the first one; of other sources Busbar knows whether they work. */
const isSilent = ({ state, source, lastEventTime }: Subscription): boolean =>
  state === "active" && source === "webhook" && lastEventTime === undefined;

function describeEvents({ events, watchFields }: Subscription): string {
  const { create, update, delete: deletion, associationChange, other } = events;
  const watched = watchFields === "all" ? "" : ` (${watchFields.join(", ") || "no field is watched"})`;
  const words = [
    create && "creations",
    update && `updates${watched}`,
    deletion && "deletions",
    associationChange && "changed associations",
    ...other,
  ];
  return words.filter(Boolean).join(", ") || "nothing";
}

/** More are not counted. */
const MAX_WAITING = 200;

/** Shows the number of events that wait for processing, and the age of the oldest. */
function Waiting({ objectName, input }: { objectName: string; input: InstallationInput }): JSX.Element {
  const list = { ...input, objectName, pageSize: MAX_WAITING };
  const received = useCall(
    "listSubscriptionEvents",
    { ...list, outcome: "received" },
    { everyMs: POLL_MS.list },
  );
  const queued = useCall("listSubscriptionEvents", { ...list, outcome: "queued" }, { everyMs: POLL_MS.list });
  const pages = [received.data, queued.data].flatMap((page) => page ?? []);
  const waiting = pages.flatMap(({ results }) => results);
  const [oldest] = waiting.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  if (!oldest) return <>{pages.length === 2 ? "none" : "…"}</>;
  const { length } = waiting;
  const isMore = pages.some(({ pagination }) => !pagination.done);
  return (
    <>
      {length} {isMore ? "or more" : length === 1 ? "event" : "events"}, {isMore ? "at least since" : "since"}{" "}
      <TimeAgo time={oldest.receivedTime} focusable />
    </>
  );
}

function Reconciliation({
  reconciliation,
}: {
  reconciliation: Schemas["SubscriptionReconciliation"];
}): JSX.Element {
  const { state, since, reason, found, error, endTime } = reconciliation;
  return (
    <>
      <Status status={state} /> {found} found since <TimeAgo time={since} focusable />
      {endTime && (
        <>
          , ended <TimeAgo time={endTime} focusable />
        </>
      )}
      <br />
      {error ?? reason}
    </>
  );
}

function Actions({ subscription, input }: SubscriptionSectionProps): JSX.Element {
  const [asked, setAsked] = useState<"find" | "test">();
  const [sent, setSent] = useState(false);
  const reason = useReason("editor");
  const close = () => setAsked(undefined);
  return (
    <Group gap="xs" align="flex-start">
      {sent && (
        <Text size="sm" role="status">
          A test event is on its way to the destination.
        </Text>
      )}
      <ActionButton size="xs" variant="default" reason={reason} onClick={() => setAsked("test")}>
        Send a test event
      </ActionButton>
      <ActionButton size="xs" variant="default" reason={reason} onClick={() => setAsked("find")}>
        Find missed changes
      </ActionButton>
      {asked === "find" && <FindMissedChanges subscription={subscription} input={input} onClose={close} />}
      {asked === "test" && (
        <SendTestEvent
          objectName={subscription.objectName}
          input={input}
          onSent={() => setSent(true)}
          onClose={close}
        />
      )}
    </Group>
  );
}

const DAY_MS = 86_400_000;

interface FindMissedChangesProps {
  subscription: Pick<Schemas["Subscription"], "objectName" | "lastEventTime">;
  input: InstallationInput;
  onClose: () => void;
}

function FindMissedChanges(props: FindMissedChangesProps): JSX.Element {
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
