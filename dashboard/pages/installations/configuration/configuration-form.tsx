/** The configuration as a form: the objects that the manifest offers, with the fields that the customer's account has. */
import type { JSX } from "react";
import { Checkbox, Fieldset, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../../api.gen.ts";
import type { Answer } from "../../../api/call.ts";
import { useCall } from "../../../api/queries.ts";
import { ProblemView } from "../../../frame/problem-view.tsx";
import { listFeatures, useProvider } from "../../../frame/data/providers.ts";
import {
  isChosen,
  mayDelete,
  listMembersInJson,
  withDeletion,
  withObject,
  withProxy,
  type Action,
  type Content,
} from "./config-content.ts";
import type { FormPart } from "./form-part.ts";
import type { InstallationInput } from "./installation-input.ts";
import { ReadObjectForm } from "./read-object-form.tsx";
import { ReadSettings } from "./read-settings.tsx";
import { SubscribeObjectForm } from "./subscribe-object-form.tsx";

interface ConfigurationFormProps extends FormPart {
  installation: Answer<"getInstallation">;
  input: InstallationInput;
}

export function ConfigurationForm(props: ConfigurationFormProps): JSX.Element {
  const { installation, input, ...form } = props;
  const integration = useCall("getIntegration", {
    projectIdOrName: input.projectIdOrName,
    integrationIdOrName: input.integrationId,
  });
  const revision = integration.data?.latestRevision;
  const account = useCall(
    "getHydratedRevision",
    {
      projectIdOrName: input.projectIdOrName,
      integrationId: input.integrationId,
      revisionId: revision?.id ?? "",
      connectionId: installation.connection.id,
    },
    { enabled: revision !== undefined, staysFresh: true },
  );
  const provider = useProvider(installation.connection.provider);
  if (!revision)
    return integration.error ? <ProblemView error={integration.error} /> : <Text size="sm">Loading …</Text>;
  const { read, write, subscribe, proxy, module } = revision.content;
  const ofAccount = (name: string) =>
    account.data?.content.read?.objects?.find(({ objectName }) => objectName === name);
  const mayFilter = listFeatures(provider, module).fieldFilters === true;
  return (
    <Stack gap="md">
      {account.error && <ProblemView error={account.error} onRetry={() => void account.refetch()} />}
      {(read?.objects ?? []).map((object) => (
        <Reading
          key={object.objectName}
          {...form}
          declared={object}
          account={ofAccount(object.objectName)}
          mayFilter={mayFilter}
        />
      ))}
      {write?.objects && <Writing {...form} objects={write.objects} />}
      {(subscribe?.objects ?? []).map((object) => (
        <Fieldset key={object.objectName} legend={`Subscribe to ${object.objectName}`}>
          <SubscribeObjectForm
            {...form}
            declared={object}
            fields={listWatchable(
              read?.objects?.find(({ objectName }) => objectName === object.objectName),
              ofAccount(object.objectName),
            )}
          />
          <OnlyInJson content={form.content} action="subscribe" objectName={object.objectName} />
        </Fieldset>
      ))}
      {proxy?.enabled && (
        <Fieldset legend="Proxy">
          <Choice
            label="Calls through the proxy"
            checked={form.content.proxy?.enabled === true}
            onChange={(enabled) => form.onContent(withProxy(form.content, enabled))}
          />
        </Fieldset>
      )}
    </Stack>
  );
}

/** Returns the names under which changes can be watched: the manifest's own names, then the account's fields. */
function listWatchable(
  declared: Schemas["ManifestReadObject"] | undefined,
  account: Schemas["HydratedReadObject"] | undefined,
): readonly { fieldName: string; displayName: string }[] {
  if (!account) return [];
  const fields = [...(declared?.requiredFields ?? []), ...(declared?.optionalFields ?? [])];
  const names = new Set(fields.flatMap(({ mapToName }) => mapToName ?? []));
  return [...[...names].map((name) => ({ fieldName: name, displayName: name })), ...account.allFields];
}

interface ReadingProps extends FormPart {
  declared: Schemas["ManifestReadObject"];
  account: Schemas["HydratedReadObject"] | undefined;
  mayFilter: boolean;
}

function Reading({ declared, account, mayFilter, ...form }: ReadingProps): JSX.Element {
  const { objectName } = declared;
  const { content, onContent } = form;
  return (
    <Fieldset legend={`Read ${objectName}`}>
      <Choice
        label={`Read ${objectName}`}
        description={
          declared.enabled === "always"
            ? "The manifest reads it for every customer; chosen, it can have other settings."
            : undefined
        }
        checked={isChosen(content, "read", objectName)}
        onChange={(isWanted) => onContent(withObject(content, "read", objectName, isWanted))}
      />
      {account && <ReadObjectForm {...form} object={account} />}
      <ReadSettings
        {...form}
        declared={declared}
        fields={account?.allFieldsMetadata ?? {}}
        mayFilter={mayFilter}
      />
      <OnlyInJson content={content} action="read" objectName={objectName} />
    </Fieldset>
  );
}

interface WritingProps extends FormPart {
  objects: readonly { objectName: string }[];
}

const Writing = ({ objects, content, onContent }: WritingProps): JSX.Element => (
  <>
    {objects.map(({ objectName }) => (
      <Fieldset key={objectName} legend={`Write ${objectName}`}>
        <Stack gap="xs">
          <Choice
            label={`Write ${objectName}`}
            checked={isChosen(content, "write", objectName)}
            onChange={(isWanted) => onContent(withObject(content, "write", objectName, isWanted))}
          />
          {isChosen(content, "write", objectName) && (
            <Choice
              label="Records may be deleted"
              checked={mayDelete(content, objectName)}
              onChange={(enabled) => onContent(withDeletion(content, objectName, enabled))}
            />
          )}
        </Stack>
        <OnlyInJson content={content} action="write" objectName={objectName} />
      </Fieldset>
    ))}
    {!content.write?.objects && (
      <Text size="sm" c="dimmed">
        No object is chosen for writing, so all of them may be written.
      </Text>
    )}
  </>
);

interface OnlyInJsonProps {
  content: Content;
  action: Action;
  objectName: string;
}

/** Names the settings of an object that the form does not show; they stay as they are. */
function OnlyInJson({ content, action, objectName }: OnlyInJsonProps): JSX.Element | null {
  const members = listMembersInJson(content, action, objectName);
  if (members.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" mt="sm">
      Only in JSON: <span className="foreign">{members.join(", ")}</span>. They stay as they are.
    </Text>
  );
}

interface ChoiceProps {
  label: string;
  description?: string;
  checked: boolean;
  onChange: (isWanted: boolean) => void;
}

const Choice = ({ onChange, ...choice }: ChoiceProps): JSX.Element => (
  <Checkbox {...choice} onChange={(event) => onChange(event.currentTarget.checked)} />
);
