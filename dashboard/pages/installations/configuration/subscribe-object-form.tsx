/** Which changes of an object are delivered for a customer: the manifest's events, changed for this customer. */
import type { JSX } from "react";
import { Button, Checkbox, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../../api.gen.ts";
import {
  getKey,
  subscribeChoices,
  withObject,
  withSubscribeMember,
  type SubscribeObject,
} from "./config-content.ts";
import { DestinationChoice } from "./destination-choice.tsx";
import type { FormPart } from "./form-part.ts";
import { NameList } from "./name-list.tsx";
import { WatchedFields } from "./watched-fields.tsx";

const EVENTS = [
  ["createEvent", "Created records"],
  ["updateEvent", "Updated records"],
  ["deleteEvent", "Deleted records"],
] as const;
type EventName = (typeof EVENTS)[number][0];

interface SubscribeObjectFormProps extends FormPart {
  declared: Schemas["ManifestSubscribeObject"];
  /** Fields that can be watched; empty if unknown. */
  fields: readonly { fieldName: string; displayName: string }[];
}

export function SubscribeObjectForm(props: SubscribeObjectFormProps): JSX.Element {
  const { declared, fields, content, onContent, issueAt } = props;
  const { objectName } = declared;
  const own = subscribeChoices(content, objectName);
  const set = <Name extends keyof SubscribeObject & string>(
    name: Name,
    value: SubscribeObject[Name] | undefined,
  ) => onContent(withSubscribeMember(content, objectName, name, value));
  const findIssue = (member: string) =>
    issueAt(`subscribe.objects.${getKey(content, "subscribe", objectName)}.${member}`);
  const isOn = (name: EventName) => (own?.[name]?.enabled ?? declared[name]?.enabled) === "always";
  const isInherited = own?.inheritFieldsAndMappings ?? declared.inheritFieldsAndMapping ?? false;
  return (
    <Stack gap="sm">
      <WhoseSettings
        isOwn={own !== undefined}
        onReset={() => onContent(withObject(content, "subscribe", objectName, false))}
      />
      <Events
        isOn={isOn}
        findIssue={findIssue}
        onEvent={(name, isWanted) => set(name, { ...own?.[name], enabled: isWanted ? "always" : "never" })}
      />
      {isOn("updateEvent") && (
        <WatchedFields
          own={own?.updateEvent}
          manifest={declared.updateEvent}
          fields={fields}
          error={findIssue("updateEvent.requiredWatchFields")}
          onWatch={(watch) => set("updateEvent", { ...watch, enabled: "always" })}
        />
      )}
      {declared.associationChangeEvent?.enabled === "always" && (
        <Text size="sm" c="dimmed">
          Changed associations are delivered too, as the manifest says.
        </Text>
      )}
      {!isInherited && (
        <Checkbox
          label="With the fields and mappings of the read object"
          checked={isInherited}
          error={findIssue("inheritFieldsAndMappings")}
          onChange={(event) => set("inheritFieldsAndMappings", event.currentTarget.checked)}
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <DestinationChoice
          description="Gets the events."
          destination={own?.destination}
          manifest={declared.destination}
          error={findIssue("destination")}
          onDestination={(destination) => set("destination", destination)}
        />
        <NameList
          label="Further events"
          description="By the provider's names, separated by commas."
          names={own?.otherEvents ?? declared.otherEvents ?? []}
          error={findIssue("otherEvents")}
          onNames={(names) => set("otherEvents", names)}
        />
      </SimpleGrid>
    </Stack>
  );
}

interface EventsProps {
  isOn: (name: EventName) => boolean;
  findIssue: (member: string) => string | undefined;
  onEvent: (name: EventName, isWanted: boolean) => void;
}

const Events = ({ isOn, findIssue, onEvent }: EventsProps): JSX.Element => (
  <>
    {EVENTS.map(([name, label]) => (
      <Checkbox
        key={name}
        label={label}
        checked={isOn(name)}
        error={findIssue(name)}
        onChange={(event) => onEvent(name, event.currentTarget.checked)}
      />
    ))}
  </>
);

const WhoseSettings = ({ isOwn, onReset }: { isOwn: boolean; onReset: () => void }): JSX.Element => (
  <Group justify="space-between" gap="xs">
    <Text size="sm" c="dimmed">
      {isOwn
        ? "This customer has settings of their own; what they leave out is as the manifest says."
        : "As the manifest says, as long as nothing is changed here."}
    </Text>
    {isOwn && (
      <Button variant="default" size="compact-sm" onClick={onReset}>
        Back to the manifest
      </Button>
    )}
  </Group>
);
