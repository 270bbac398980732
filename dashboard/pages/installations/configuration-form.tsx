/** The configuration as a form: the objects that the manifest offers, with the fields that the customer's account has. */
import type { JSX } from "react";
import { Checkbox, Fieldset, Stack, Text } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { useCall } from "../../api/queries.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { isChosen, withDeletion, withObject, withProxy, type Content } from "./config-content.ts";
import type { InstallationInput } from "./installation-input.ts";
import { ReadObjectForm } from "./read-object-form.tsx";

interface ConfigurationFormProps {
  installation: Answer<"getInstallation">;
  input: InstallationInput;
  content: Content;
  onContent: (content: Content) => void;
}

export function ConfigurationForm(props: ConfigurationFormProps): JSX.Element {
  const { installation, input, content, onContent } = props;
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
  if (!revision)
    return integration.error ? <ProblemView error={integration.error} /> : <Text size="sm">Loading …</Text>;
  const { read, write, subscribe, proxy } = revision.content;
  const hydrated = account.data?.content.read?.objects ?? [];
  const toggle = (action: "read" | "write" | "subscribe", name: string, isWanted: boolean) =>
    onContent(withObject(content, action, name, isWanted));
  return (
    <Stack gap="md">
      {account.error && <ProblemView error={account.error} onRetry={() => void account.refetch()} />}
      {(read?.objects ?? []).map(({ objectName }) => (
        <Fieldset key={objectName} legend={`Read ${objectName}`}>
          <Choice
            label={`Read ${objectName}`}
            checked={isChosen(content, "read", objectName)}
            onChange={(isWanted) => toggle("read", objectName, isWanted)}
          />
          {hydrated
            .filter((object) => object.objectName === objectName)
            .map((object) => (
              <ReadObjectForm key={objectName} object={object} content={content} onContent={onContent} />
            ))}
        </Fieldset>
      ))}
      {write?.objects && <Writing objects={write.objects} content={content} onContent={onContent} />}
      {(subscribe?.objects ?? []).map(({ objectName }) => (
        <Fieldset key={objectName} legend={`Subscribe to ${objectName}`}>
          <Choice
            label={`Subscribe to ${objectName}`}
            checked={isChosen(content, "subscribe", objectName)}
            onChange={(isWanted) => toggle("subscribe", objectName, isWanted)}
          />
        </Fieldset>
      ))}
      {proxy?.enabled && (
        <Fieldset legend="Proxy">
          <Choice
            label="Calls through the proxy"
            checked={content.proxy?.enabled === true}
            onChange={(enabled) => onContent(withProxy(content, enabled))}
          />
        </Fieldset>
      )}
    </Stack>
  );
}

interface WritingProps {
  objects: readonly { objectName: string }[];
  content: Content;
  onContent: (content: Content) => void;
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
              checked={content.write?.objects?.[objectName]?.deletionSettings?.enabled === true}
              onChange={(enabled) => onContent(withDeletion(content, objectName, enabled))}
            />
          )}
        </Stack>
      </Fieldset>
    ))}
    {!content.write?.objects && (
      <Text size="sm" c="dimmed">
        No object is chosen for writing, so all of them may be written.
      </Text>
    )}
  </>
);

interface ChoiceProps {
  label: string;
  checked: boolean;
  onChange: (isWanted: boolean) => void;
}

const Choice = ({ label, checked, onChange }: ChoiceProps): JSX.Element => (
  <Checkbox label={label} checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
);
