/** Fields whose change counts as an update: every field, those that are read, or chosen ones. */
import type { JSX } from "react";
import { NativeSelect } from "@mantine/core";
import type { Schemas } from "../../../api.gen.ts";
import type { SubscribeObject } from "./config-content.ts";
import { FieldChoices } from "./field-choices.tsx";
import { NameList } from "./name-list.tsx";

type UpdateEvent = NonNullable<SubscribeObject["updateEvent"]>;
type Declared = Schemas["ManifestSubscribeObject"]["updateEvent"];

interface WatchedFieldsProps {
  own: UpdateEvent | undefined;
  manifest: Declared;
  fields: readonly { fieldName: string; displayName: string }[];
  error: string | undefined;
  onWatch: (event: Partial<UpdateEvent>) => void;
}

export function WatchedFields({ own, manifest, fields, error, onWatch }: WatchedFieldsProps): JSX.Element {
  // Either member replaces both of the manifest, so they never stand together.
  const { watchFieldsAuto: _auto, requiredWatchFields: _fields, ...others } = own ?? {};
  const chosen = own?.requiredWatchFields;
  const setFields = (names: readonly string[]) => onWatch({ ...others, requiredWatchFields: names });
  const choose = (choice: string) => {
    if (choice === "all" || choice === "selected") onWatch({ ...others, watchFieldsAuto: choice });
    else if (choice === "fields") setFields(manifest?.requiredWatchFields ?? []);
    else onWatch(others);
  };
  return (
    <>
      <NativeSelect
        label="An update counts when"
        maw={480}
        data={[
          { value: "manifest", label: `As the manifest: ${describeWatch(manifest)}` },
          { value: "all", label: "any field changes" },
          { value: "selected", label: "a field that is read changes" },
          { value: "fields", label: "one of these fields changes" },
        ]}
        value={own?.watchFieldsAuto ?? (chosen ? "fields" : "manifest")}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {chosen && fields.length > 0 && (
        <FieldChoices
          title="Watched fields"
          fields={[...listUnknown(chosen, fields), ...fields]}
          isChosen={(name) => chosen.includes(name)}
          error={error}
          onField={(name, isWanted) =>
            setFields(isWanted ? [...chosen, name] : chosen.filter((one) => one !== name))
          }
        />
      )}
      {chosen && fields.length === 0 && (
        <NameList
          label="Watched fields"
          description="The provider's names or mapped ones, separated by commas."
          names={chosen}
          error={error}
          onNames={setFields}
        />
      )}
    </>
  );
}

/** Returns the watched fields that the account does not have, such as mapped names. */
const listUnknown = (chosen: readonly string[], fields: WatchedFieldsProps["fields"]) =>
  chosen
    .filter((name) => !fields.some(({ fieldName }) => fieldName === name))
    .map((name) => ({ fieldName: name, displayName: name }));

function describeWatch(event: Declared): string {
  if (event?.watchFieldsAuto === "selected") return "a field that is read changes";
  const names = event?.requiredWatchFields ?? [];
  return event?.watchFieldsAuto === "all" || names.length === 0
    ? "any field changes"
    : `${names.join(", ")} changes`;
}
