/** The form for a new topic: its name, the types of its events, and the destinations that get them. */
import { useState, type JSX } from "react";
import { Checkbox, Modal, Stack, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { issueOf, useCall, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";

interface NewTopicProps {
  opened: boolean;
  onClose: () => void;
  destinations: readonly Schemas["Destination"][];
}

export const NewTopic = (props: NewTopicProps): JSX.Element => (
  <Modal opened={props.opened} onClose={props.onClose} title="New topic">
    <Form {...props} />
  </Modal>
);

function Form({ onClose, destinations }: NewTopicProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const types = useCall("listEventTypes", {}, { staysFresh: true }).data ?? [];
  const [name, setName] = useState("");
  const [eventTypes, setEventTypes] = useState<string[]>([]);
  const [destinationIds, setDestinationIds] = useState<string[]>([]);
  const create = useChange("createTopic", { forget: ["listTopics"] });
  const input = { projectIdOrName, body: { name, eventTypes, destinationIds } };
  useDraft("createTopic", input);
  return (
    <DialogForm
      submit="Create topic"
      busy={create.isPending}
      problem={<ProblemView error={create.error} />}
      onSubmit={() => {
        create.mutate(input, { onSuccess: onClose });
      }}
      onCancel={onClose}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={issueOf(create.error, "name")}
        data-autofocus
      />
      <Checkbox.Group label="Event types" value={eventTypes} onChange={setEventTypes}>
        <Stack gap={6} mt={4}>
          {types.map(({ type, description }) => (
            <Checkbox key={type} value={type} label={type} title={description} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Checkbox.Group label="Destinations" value={destinationIds} onChange={setDestinationIds}>
        <Stack gap={6} mt={4}>
          {destinations.map((one) => (
            <Checkbox key={one.id} value={one.id} label={one.name} />
          ))}
          {destinations.length === 0 && <span>There is no destination yet.</span>}
        </Stack>
      </Checkbox.Group>
    </DialogForm>
  );
}
