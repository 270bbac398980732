/** The dialog that installs an integration for a customer, with the objects that it shall read, write and subscribe to. */
import { useState, type JSX } from "react";
import { Checkbox, Fieldset, NativeSelect, Stack, Text } from "@mantine/core";
import type { Answer, Input } from "../../api/call.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

type Integration = Answer<"listIntegrations">[number];
type Actions = Record<"read" | "write" | "subscribe", readonly string[]>;

interface InstallIntegrationProps {
  input: { projectIdOrName: string; groupRef: string };
  onClose: () => void;
  onInstalled: (installation: Answer<"createInstallation">, integrationName: string) => void;
}

const TITLES = { read: "Read", write: "Write", subscribe: "Subscribe" } as const;

export function InstallIntegration({ input, onClose, onInstalled }: InstallIntegrationProps): JSX.Element {
  const { projectIdOrName, groupRef } = input;
  const integrations = useCall("listIntegrations", { projectIdOrName }).data ?? [];
  const connections = useCall("listProjectConnections", input).data?.results;
  const [wanted, setWanted] = useState<string>();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const install = useChange("createInstallation", {
    forget: ["listProjectInstallations", "getGroup", "listGroups"],
  });
  const integration = integrations.find(({ name }) => name === wanted) ?? integrations[0];
  const isConnected = connections?.some(({ provider }) => provider === integration?.provider);
  const sent: Input<"createInstallation"> = {
    projectIdOrName,
    integrationId: integration?.name ?? "",
    body: { groupRef, config: { content: integration ? buildContent(integration, left) : {} } },
  };
  useDraft("createInstallation", sent);
  const toggle = (key: string) =>
    setLeft(
      (before) => new Set(before.has(key) ? [...before].filter((one) => one !== key) : [...before, key]),
    );
  return (
    <FormDialog
      title={`Install for ${groupRef}`}
      submit="Install"
      busy={install.isPending}
      disabled={!integration || isConnected === false}
      problem={<ProblemView error={install.error} />}
      onSubmit={() =>
        install.mutate(sent, { onSuccess: (made) => onInstalled(made, integration?.name ?? "") })
      }
      onClose={onClose}
    >
      <NativeSelect
        label="Integration"
        data={integrations.map(({ name, provider }) => ({ value: name, label: `${name} (${provider})` }))}
        value={integration?.name ?? ""}
        onChange={(event) => setWanted(event.currentTarget.value)}
        data-autofocus
      />
      {integrations.length === 0 && <Text size="sm">No integration is deployed yet.</Text>}
      {integration && isConnected === false && (
        <Text size="sm" role="status">
          The customer has no connection to {integration.provider}. Connect the account first.
        </Text>
      )}
      {integration && <Objects offered={listActions(integration)} left={left} onToggle={toggle} />}
      <Text size="sm" c="dimmed">
        Fields and mappings are chosen afterwards, in the configuration of the installation.
      </Text>
    </FormDialog>
  );
}

interface ObjectsProps {
  offered: Actions;
  left: ReadonlySet<string>;
  onToggle: (key: string) => void;
}

const Objects = ({ offered, left, onToggle }: ObjectsProps): JSX.Element => (
  <>
    {(["read", "write", "subscribe"] as const)
      .filter((action) => offered[action].length > 0)
      .map((action) => (
        <Fieldset key={action} legend={TITLES[action]}>
          <Stack gap={6}>
            {offered[action].map((objectName) => (
              <Checkbox
                key={objectName}
                label={objectName}
                checked={!left.has(`${action} ${objectName}`)}
                onChange={() => onToggle(`${action} ${objectName}`)}
              />
            ))}
          </Stack>
        </Fieldset>
      ))}
  </>
);

/** The objects that the manifest offers. */
function listActions({ latestRevision: { content } }: Integration): Actions {
  const names = (objects: readonly { objectName: string }[] = []) =>
    objects.map(({ objectName }) => objectName);
  return {
    read: names(content.read?.objects),
    write: names(content.write?.objects),
    subscribe: names(content.subscribe?.objects),
  };
}

/** Without the objects in `left`; the server completes what the manifest says. */
function buildContent(
  integration: Integration,
  left: ReadonlySet<string>,
): Input<"createInstallation">["body"]["config"]["content"] {
  const offered = listActions(integration);
  const choose = (action: keyof Actions) => {
    const names = offered[action].filter((name) => !left.has(`${action} ${name}`));
    return names.length > 0
      ? { [action]: { objects: Object.fromEntries(names.map((name) => [name, { objectName: name }])) } }
      : {};
  };
  return {
    provider: integration.provider,
    ...choose("read"),
    ...choose("write"),
    ...choose("subscribe"),
    ...(integration.latestRevision.content.proxy?.enabled && { proxy: { enabled: true } }),
  };
}
