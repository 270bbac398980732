/** How an object is read for a customer: when, from when on, which records, and where they go. */
import type { JSX } from "react";
import { Checkbox, SimpleGrid, Stack } from "@mantine/core";
import type { Schemas } from "../../../api.gen.ts";
import { getKey, readChoices, withMember, type ReadObject } from "./config-content.ts";
import { DestinationChoice } from "./destination-choice.tsx";
import type { FormPart } from "./form-part.ts";
import { InitialRead } from "../initial-read.tsx";
import { NameList } from "./name-list.tsx";
import { ReadFilters } from "./read-filters.tsx";
import { ScheduleChoice } from "./schedule-choice.tsx";

interface ReadSettingsProps extends FormPart {
  declared: Schemas["ManifestReadObject"];
  fields: Readonly<Record<string, Schemas["FieldMetadata"]>>;
  /** Whether the provider can filter. */
  mayFilter: boolean;
}

export function ReadSettings(props: ReadSettingsProps): JSX.Element | null {
  const { declared, fields, mayFilter, content, onContent, issueAt } = props;
  const { objectName } = declared;
  const chosen = readChoices(content, objectName);
  if (!chosen) return null;
  const set = <Name extends keyof ReadObject & string>(name: Name, value: ReadObject[Name] | undefined) =>
    onContent(withMember(content, ["read", objectName, name], value));
  const findIssue = (member: string) =>
    issueAt(`read.objects.${getKey(content, "read", objectName)}.${member}`);
  const deletions = (chosen.deletedRecords ?? declared.deletedRecords) === "always";
  return (
    <Stack gap="sm" mt="sm">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <ScheduleChoice
          schedule={chosen.schedule}
          manifest={declared.schedule}
          error={findIssue("schedule")}
          onSchedule={(schedule) => set("schedule", schedule)}
        />
        <InitialRead
          backfill={chosen.backfill}
          manifest={declared.backfill?.defaultPeriod}
          error={findIssue("backfill.defaultPeriod") ?? findIssue("backfill.defaultPeriod.days")}
          onBackfill={(backfill) => set("backfill", backfill)}
        />
        <DestinationChoice
          description="Gets the records."
          destination={chosen.destination}
          manifest={declared.destination}
          error={findIssue("destination")}
          onDestination={(destination) => set("destination", destination)}
        />
        <NameList
          label="Associated objects"
          description="Whose associated records are listed; separated by commas."
          names={chosen.associatedObjects ?? declared.associatedObjects ?? []}
          error={findIssue("associatedObjects")}
          onNames={(names) =>
            set("associatedObjects", isEqual(names, declared.associatedObjects ?? []) ? undefined : names)
          }
        />
      </SimpleGrid>
      <Checkbox
        label="Also deliver which records were deleted"
        checked={deletions}
        onChange={(event) => set("deletedRecords", event.currentTarget.checked ? "always" : "never")}
      />
      {declared.enabled !== "always" && (
        <Checkbox
          label="Reading is switched off"
          description="The settings stay, and nothing is read, neither by schedule nor on request."
          checked={chosen.disabled === true}
          onChange={(event) => set("disabled", event.currentTarget.checked || undefined)}
        />
      )}
      <ReadFilters
        chosen={chosen}
        manifest={declared.backfill?.defaultPeriod}
        fields={fields}
        mayFilter={mayFilter}
        findIssue={findIssue}
        onFilters={(filters) => set("fieldFilters", filters)}
        onBackfill={(backfill) => set("backfill", backfill)}
      />
    </Stack>
  );
}

const isEqual = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join();
