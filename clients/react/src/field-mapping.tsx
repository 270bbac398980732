/** Lets the customer choose what is shared: objects, optional fields, and fields for the builder's names. */
import type { FieldMetadata, HydratedField, HydratedReadObject, Installation } from "@busbar/client";
import { useId, type ReactNode } from "react";
import { useBusbar } from "./busbar-provider.js";
import { listMappings, type ReadChoice } from "./mapping-draft.js";
import { Button, Card, Failure, useAct, useWaiting } from "./parts.js";
import { useFieldMapping } from "./use-field-mapping.js";

export interface FieldMappingProps {
  /** Id or name of the integration. */
  integration: string;
  /** Called when the customer has installed or saved. */
  onSave?: (installation: Installation) => void;
}

export function FieldMapping({ integration, onSave }: FieldMappingProps): ReactNode {
  const { say } = useBusbar();
  const state = useFieldMapping(integration);
  const { revision, draft, installation, missing } = state;
  const waiting = useWaiting(state, draft !== undefined || (!state.isLoading && !state.isConnected));
  const saving = useAct(async () => {
    const saved = await state.save();
    onSave?.(saved);
  });
  // An object that is read and written has one name.
  const shownNames = Object.fromEntries(
    (revision?.content.read?.objects ?? []).map((each) => [each.objectName, each.mapToDisplayName]),
  );
  const cannotSave = missing.length > 0 || (installation !== undefined && !state.isChanged);
  return (
    <Card title={say("mapping")} isBusy={saving.isRunning}>
      {waiting ??
        (!revision || !draft ? (
          <p className="busbar-soft">{say("connectFirst")}</p>
        ) : (
          <form
            className="busbar-form"
            onSubmit={(event) => {
              event.preventDefault();
              void saving.run();
            }}
          >
            {(revision.content.read?.objects ?? []).map((object) => (
              <ReadObject
                key={object.objectName}
                object={object}
                choice={draft.read[object.objectName]}
                change={(change) => state.changeRead(object.objectName, change)}
              />
            ))}
            {revision.content.write?.objects?.length ? (
              <fieldset className="busbar-object">
                <legend>{say("writing")}</legend>
                {revision.content.write.objects.map(({ objectName, displayName }) => (
                  <Checkbox
                    key={objectName}
                    label={say("writeObject", { object: shownNames[objectName] ?? displayName })}
                    isChecked={draft.write[objectName] ?? false}
                    change={(isChosen) => state.changeWrite(objectName, isChosen)}
                  />
                ))}
              </fieldset>
            ) : null}
            {missing.length > 0 && <p>{say("missing", { fields: missing.join(", ") })}</p>}
            <Failure error={saving.error} />
            <Button kind="main" type="submit" disabled={saving.isRunning || cannotSave}>
              {say(installation ? "save" : "install")}
            </Button>
            {state.isChanged && <Button onClick={state.reset}>{say("reset")}</Button>}
          </form>
        ))}
    </Card>
  );
}

function ReadObject({
  object,
  choice,
  change,
}: {
  object: HydratedReadObject;
  choice: ReadChoice | undefined;
  change: (change: Partial<ReadChoice>) => void;
}): ReactNode {
  const { say } = useBusbar();
  const { displayName, mapToDisplayName, requiredFields = [], optionalFields = [], error } = object;
  if (!choice) return null;
  const optional = optionalFields.filter(({ fieldName }) => fieldName);
  const read = requiredFields.filter(({ fieldName }) => fieldName).map(nameField);
  const label = mapToDisplayName ?? displayName;
  return (
    <fieldset className="busbar-object">
      <legend>{label}</legend>
      <Checkbox
        label={say("readObject", { object: label })}
        isChecked={choice.isChosen}
        change={(isChosen) => change({ isChosen })}
      />
      {error !== undefined && (
        <p className="busbar-soft">
          {say("fieldsUnknown", { object: label })} {error}
        </p>
      )}
      {choice.isChosen && (
        <>
          {read.length > 0 && <p className="busbar-soft">{say("readFields", { fields: read.join(", ") })}</p>}
          {listMappings(object).map((field) => (
            <Mapping
              key={field.mapToName}
              field={field}
              choices={Object.values(object.allFieldsMetadata)}
              value={choice.mappings[field.mapToName ?? ""] ?? ""}
              change={(value) => change({ mappings: { ...choice.mappings, [field.mapToName ?? ""]: value } })}
            />
          ))}
          {optional.length > 0 && (
            <details className="busbar-optional" open={optional.length <= 8}>
              <summary>{say("optionalFields", { count: String(optional.length) })}</summary>
              <div className="busbar-list">
                {optional.map(({ fieldName = "", ...field }) => (
                  <Checkbox
                    key={fieldName}
                    label={nameField({ fieldName, ...field })}
                    isChecked={choice.fields[fieldName] ?? false}
                    change={(isChosen) => change({ fields: { ...choice.fields, [fieldName]: isChosen } })}
                  />
                ))}
              </div>
            </details>
          )}
        </>
      )}
    </fieldset>
  );
}

const nameField = ({ mapToDisplayName, displayName, fieldName = "" }: HydratedField): string =>
  mapToDisplayName ?? displayName ?? fieldName;

function Mapping({
  field,
  choices,
  value,
  change,
}: {
  field: HydratedField & { isRequired: boolean };
  choices: FieldMetadata[];
  value: string;
  change: (value: string) => void;
}): ReactNode {
  const { say } = useBusbar();
  const id = useId();
  const { mapToName = "", mapToDisplayName = mapToName, prompt, isRequired } = field;
  const sorted = choices.toSorted((one, other) => one.displayName.localeCompare(other.displayName));
  const given = {
    id,
    value,
    className: "busbar-input",
    required: isRequired,
    ...(prompt && { "aria-describedby": `${id}-prompt` }),
    onChange: (event: { target: { value: string } }) => change(event.target.value),
  };
  return (
    <div className="busbar-field">
      <label htmlFor={id}>{mapToDisplayName}</label>
      {sorted.length === 0 ? (
        <input {...given} type="text" spellCheck={false} />
      ) : (
        <select {...given}>
          <option value="">{say(isRequired ? "chooseField" : "noField")}</option>
          {sorted.map(({ fieldName, displayName }) => (
            <option key={fieldName} value={fieldName}>
              {displayName}
            </option>
          ))}
        </select>
      )}
      {prompt && (
        <p className="busbar-soft" id={`${id}-prompt`}>
          {prompt}
        </p>
      )}
    </div>
  );
}

function Checkbox({
  label,
  isChecked,
  change,
}: {
  label: string;
  isChecked: boolean;
  change: (isChecked: boolean) => void;
}): ReactNode {
  return (
    <label className="busbar-checkbox">
      <input type="checkbox" checked={isChecked} onChange={(event) => change(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}
