/** The form for a new topic: its name, the types of its events, and the destinations that get them, a new one included. */
import { type JSX, useState } from "react";
import { Checkbox, Fieldset, Stack, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { useCallForm } from "../../api/call-form.ts";
import { findIssue, useCall, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { CodeBlock } from "../../ui/code/code-block.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

interface NewTopicProps {
  onClose: () => void;
  onCreated: (topic: Schemas["Topic"]) => void;
  destinations: readonly Schemas["Destination"][];
}

export function NewTopic({ onClose, onCreated, destinations }: NewTopicProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const types = useCall("listEventTypes", {}, { staysFresh: true }).data ?? [];
  const [webhook, setWebhook] = useState<Webhook>();
  const { create, busy, errors } = useCreateTopic();
  const fields = useCallForm<Required<Schemas["CreateTopicRequest"]>>(
    { name: "", eventTypes: [], destinationIds: [] },
    errors.topic,
  );
  const body = fields.values;
  useDraft("createTopic", { projectIdOrName, body });
  const submit = () =>
    create(projectIdOrName, body, webhook).then(
      (made) => {
        onClose();
        onCreated(made);
      },
      () => {
        // The form shows what was refused.
      },
    );
  return (
    <FormDialog
      title="New topic"
      size="lg"
      submit="Create topic"
      busy={busy}
      problem={
        <>
          <ProblemView error={errors.webhook ?? errors.topic} />
          <ProblemView error={errors.removal} />
        </>
      }
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextInput label="Name" {...fields.getInputProps("name")} data-autofocus />
      <Checkbox.Group label="Event types" {...fields.getInputProps("eventTypes")}>
        <Stack gap={6} mt={4}>
          {types.map(({ type, description, built }) => (
            <Checkbox
              key={type}
              value={type}
              label={type}
              description={built ? description : `${description} Not sent by this version.`}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <Samples types={types.filter(({ type }) => body.eventTypes.includes(type))} />
      <Checkbox.Group label="Destinations" {...fields.getInputProps("destinationIds")}>
        <Stack gap={6} mt={4}>
          {destinations.map((one) => (
            <Checkbox key={one.id} value={one.id} label={one.name} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Checkbox
        label="A new webhook"
        checked={webhook !== undefined}
        onChange={(event) => setWebhook(event.currentTarget.checked ? { name: "", url: "" } : undefined)}
      />
      {webhook && <WebhookFields webhook={webhook} error={errors.webhook} onChange={setWebhook} />}
    </FormDialog>
  );
}

/** The messages that a receiver will get, as they are sent. */
const Samples = ({ types }: { types: readonly Schemas["EventTypeInfo"][] }): JSX.Element => (
  <>
    {types.map(({ type, sample }) => (
      <details key={type}>
        <summary>Sample of {type}</summary>
        <CodeBlock name={`Message of ${type}`} text={JSON.stringify(sample, undefined, 2)} />
      </details>
    ))}
  </>
);

interface WebhookFieldsProps {
  webhook: Webhook;
  error: Error | null;
  onChange: (webhook: Webhook) => void;
}

const WebhookFields = ({ webhook, error, onChange }: WebhookFieldsProps): JSX.Element => (
  <Fieldset legend="The new webhook">
    <Stack gap="sm">
      <TextInput
        label="Webhook name"
        value={webhook.name}
        onChange={(event) => onChange({ ...webhook, name: event.currentTarget.value })}
        error={findIssue(error, "name")}
        required
      />
      <TextInput
        label="Address"
        description="Gets each event as a signed POST."
        placeholder="https://example.com/busbar"
        value={webhook.url}
        onChange={(event) => onChange({ ...webhook, url: event.currentTarget.value })}
        error={findIssue(error, "metadata.url")}
        required
      />
    </Stack>
  </Fieldset>
);

type Body = Schemas["CreateTopicRequest"];

interface Webhook {
  name: string;
  url: string;
}

interface CreateTopic {
  /** Rejects if something was refused. */
  create: (project: string, body: Body, webhook: Webhook | undefined) => Promise<Schemas["Topic"]>;
  busy: boolean;
  /** The refusal of the topic, of the webhook, and of the webhook's deletion. */
  errors: Readonly<Record<"topic" | "webhook" | "removal", Error | null>>;
}

function useCreateTopic(): CreateTopic {
  const topic = useChange("createTopic", { forget: ["listTopics", "listDestinations"] });
  const webhook = useChange("createDestination");
  const removal = useChange("deleteDestination", { forget: ["listDestinations"] });
  const create: CreateTopic["create"] = async (projectIdOrName, body, given) => {
    for (const change of [topic, webhook, removal]) change.reset();
    if (!given) return topic.mutateAsync({ projectIdOrName, body });
    const { id } = await webhook.mutateAsync({
      projectIdOrName,
      body: { name: given.name, type: "webhook", metadata: { url: given.url } },
    });
    const destinationIds = [...(body.destinationIds ?? []), id];
    try {
      return await topic.mutateAsync({ projectIdOrName, body: { ...body, destinationIds } });
    } catch (refusal) {
      await removal.mutateAsync({ projectIdOrName, destination: id });
      throw refusal;
    }
  };
  return {
    create,
    busy: topic.isPending || webhook.isPending || removal.isPending,
    errors: { topic: topic.error, webhook: webhook.error, removal: removal.error },
  };
}
