/** The dialog that connects an account of a customer: by a window or a link at the provider, or by typed credentials. */
import { useState, type JSX } from "react";
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { Schemas } from "../../api.gen.ts";
import { findIssue, useCall, useChange } from "../../api/queries.ts";
import { ConsentOutcome } from "../../frame/data/consent-outcome.tsx";
import { useConsentWindow } from "../../frame/data/consent-window.ts";
import { chooseConnectWay, CredentialFields, buildCredentials } from "../../frame/data/credential-fields.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useProviders } from "../../frame/data/providers.ts";
import { DialogForm } from "../../ui/form-dialog.tsx";

interface ConnectCustomerProps {
  /** Undefined: the form asks for it. */
  groupRef?: string;
  onClose: () => void;
  onConnected: (groupRef: string) => void;
}

const TOUCHED = ["listProjectConnections", "getGroup", "listGroups", "listProjectInstallations"] as const;

type Values = Readonly<Record<string, string>>;

export function ConnectCustomer({ groupRef, onClose, onConnected }: ConnectCustomerProps): JSX.Element {
  const client = useQueryClient();
  const providers = useProviders() ?? {};
  const names = useOfferedProviders(providers);
  const [values, setValues] = useState<Values>({});
  const set = (name: string, value: string) => setValues((before) => ({ ...before, [name]: value }));
  const name = values["provider"] ?? names[0]?.value ?? "";
  const provider = providers[name];
  const customer = groupRef ?? values["groupRef"] ?? "";
  const account = {
    provider: name,
    groupRef: customer,
    consumerRef: values["consumerRef"] || `${customer}-admin`,
    ...(values["workspace"] && { providerWorkspaceRef: values["workspace"] }),
    ...(provider && buildMetadata(provider, values)),
  };
  const done = async () => {
    await Promise.all(TOUCHED.map((id) => client.invalidateQueries({ queryKey: [id] })));
    onConnected(customer);
  };
  const forms = provider && {
    consent: <ByConsent account={account} onClose={onClose} onDone={done} />,
    credentials: <ByCredentials provider={provider} account={account} onClose={onClose} onDone={done} />,
    severalSteps: (
      <Text size="sm">
        {provider.displayName ?? name} signs in by several steps, which your application leads the customer
        through.
      </Text>
    ),
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={groupRef === undefined ? "Connect a customer" : `Connect ${groupRef}`}
    >
      <Stack>
        {groupRef === undefined && (
          <TextInput
            label="Customer"
            description="The id of the customer in your application."
            value={customer}
            onChange={(event) => set("groupRef", event.currentTarget.value)}
            data-autofocus
          />
        )}
        <NativeSelect
          label="Provider"
          data={names}
          value={name}
          onChange={(event) => set("provider", event.currentTarget.value)}
        />
        <TextInput
          label="User"
          description="The person who connects, as your application names it."
          value={values["consumerRef"] ?? ""}
          placeholder={customer && `${customer}-admin`}
          onChange={(event) => set("consumerRef", event.currentTarget.value)}
        />
        {provider && <AccountFields provider={provider} values={values} onValue={set} />}
        {provider && forms?.[chooseConnectWay(provider)]}
      </Stack>
    </Modal>
  );
}

/** Providers of the project's integrations and apps; all of them if there are none. */
function useOfferedProviders(all: Record<string, Schemas["Provider"]>): { value: string; label: string }[] {
  const projectIdOrName = useProjectName();
  const integrations = useCall("listIntegrations", { projectIdOrName }).data;
  const apps = useCall("listProviderApps", { projectIdOrName }).data;
  // Lists nothing until both are loaded, instead of all providers for a moment.
  if (!integrations || !apps) return [];
  const used = new Set([...integrations, ...apps].map(({ provider }) => provider));
  return Object.entries(all)
    .filter(([name]) => used.size === 0 || used.has(name))
    .map(([value, { displayName }]) => ({ value, label: displayName ?? value }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
}

interface AccountFieldsProps {
  provider: Schemas["Provider"];
  values: Values;
  onValue: (name: string, value: string) => void;
}

/** Fields that the provider needs to find the account: a workspace, or its own members. */
const AccountFields = ({ provider, values, onValue }: AccountFieldsProps): JSX.Element => (
  <>
    {provider.oauth2Opts?.explicitWorkspaceRequired && (
      <TextInput
        label="Workspace"
        description="The name of the account at the provider, as in its address."
        value={values["workspace"] ?? ""}
        onChange={(event) => onValue("workspace", event.currentTarget.value)}
      />
    )}
    {listInputs(provider).map(({ name, displayName, prompt, defaultValue }) => (
      <TextInput
        key={name}
        label={displayName ?? name}
        description={prompt}
        placeholder={defaultValue}
        value={values[`metadata.${name}`] ?? ""}
        onChange={(event) => onValue(`metadata.${name}`, event.currentTarget.value)}
      />
    ))}
  </>
);

/** The workspace has a field of its own. */
const listInputs = ({ metadata, oauth2Opts }: Schemas["Provider"]) =>
  (metadata?.input ?? []).filter(
    ({ name }) => !(name === "workspace" && oauth2Opts?.explicitWorkspaceRequired),
  );

function buildMetadata(
  provider: Schemas["Provider"],
  values: Values,
): { providerMetadata?: Record<string, { value: string; source: "input" }> } {
  const given = listInputs(provider).flatMap(({ name }) => {
    const value = values[`metadata.${name}`];
    return value ? [[name, { value, source: "input" as const }] as const] : [];
  });
  return given.length > 0 ? { providerMetadata: Object.fromEntries(given) } : {};
}

interface WayProps {
  account: {
    provider: string;
    groupRef: string;
    consumerRef: string;
    providerWorkspaceRef?: string;
    providerMetadata?: Record<string, { value: string; source: "input" }>;
  };
  onClose: () => void;
  onDone: () => Promise<void>;
}

function ByConsent({ account, onClose, onDone }: WayProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const begin = useChange("oauthConnect");
  const link = useChange("oauthConnect");
  const consent = useConsentWindow(() => void onDone());
  const input = { body: { projectIdOrName, ...account } };
  const disabled = account.groupRef === "";
  // A link of what was in the form before is for another customer or provider.
  const isSent = (sent: unknown) => JSON.stringify(sent) === JSON.stringify(input);
  return (
    <>
      <ProblemView error={begin.error ?? link.error} />
      <ConsentOutcome
        consent={isSent(begin.variables) ? consent : { ...consent, link: undefined }}
        link={isSent(link.variables) ? link.data : undefined}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          variant="default"
          disabled={disabled}
          loading={link.isPending}
          onClick={() => link.mutate(input)}
        >
          Copy link
        </Button>
        <Button
          disabled={disabled}
          loading={begin.isPending}
          onClick={() => consent.open(() => begin.mutateAsync(input))}
        >
          Connect
        </Button>
      </Group>
    </>
  );
}

function ByCredentials({
  provider,
  account,
  onClose,
  onDone,
}: WayProps & { provider: Schemas["Provider"] }): JSX.Element {
  const projectIdOrName = useProjectName();
  const connect = useChange("generateConnection");
  const [values, setValues] = useState<Values>({});
  return (
    <DialogForm
      submit="Connect"
      busy={connect.isPending}
      disabled={account.groupRef === ""}
      problem={<ProblemView error={connect.error} />}
      onSubmit={() =>
        connect.mutate(
          { projectIdOrName, body: { ...account, ...buildCredentials(provider, values) } },
          { onSuccess: () => void onDone() },
        )
      }
      onClose={onClose}
    >
      <CredentialFields
        provider={provider}
        values={values}
        onValue={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
      />
      {findIssue(connect.error, "apiKey") && <Text size="sm">{findIssue(connect.error, "apiKey")}</Text>}
    </DialogForm>
  );
}
