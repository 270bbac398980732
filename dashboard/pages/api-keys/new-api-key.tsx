/** The dialog that creates an API key, or one in place of another, and shows it this one time. */
import { useState, type JSX } from "react";
import { Checkbox, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { useCallForm } from "../../api/call-form.ts";
import { useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { splitAddresses, LimitFields, readLimits, parseRateLimit } from "./limit-fields.tsx";

interface NewApiKeyProps {
  /** The key that the new one replaces: it gets the same scopes and limits. */
  instead: Schemas["ApiKey"] | undefined;
  onClose: () => void;
}

type Scope = NonNullable<Schemas["CreateApiKeyRequest"]["scopes"]>[number];

/** Scopes that may be combined. */
const SOME_SCOPES: readonly { value: Scope; label: string }[] = [
  { value: "write", label: "Write records (write)" },
  { value: "read", label: "Read and search records (read)" },
  { value: "proxy", label: "Call providers through the proxy (proxy)" },
  { value: "read-only", label: "See everything but secrets (read-only)" },
];
const SCOPES: readonly Scope[] = ["full", "frontend", ...SOME_SCOPES.map(({ value }) => value)];
const pickScopes = (names: readonly string[]): Scope[] => SCOPES.filter((scope) => names.includes(scope));

export function NewApiKey({ instead, onClose }: NewApiKeyProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const [limits, setLimits] = useState(readLimits(instead ?? {}));
  const create = useChange("createApiKey", { forget: ["listApiKeys"] });
  const { label = "", scopes: given = ["full"], signIn: signsIn = false } = instead ?? {};
  const fields = useCallForm({ label, scopes: pickScopes(given), signIn: signsIn }, create.error);
  const { scopes, signIn } = fields.values;
  const isFull = scopes.includes("full");
  const [allowedAddresses, rateLimit] = [splitAddresses(limits), parseRateLimit(limits)];
  const body = {
    label: fields.values.label,
    scopes,
    ...(allowedAddresses.length > 0 && { allowedAddresses }),
    ...(rateLimit && { rateLimit }),
    ...(signIn && isFull && { signIn }),
  };
  const input = { projectIdOrName, body };
  useDraft("createApiKey", input);
  const done = () => {
    // The key is kept nowhere, the answer of the call included.
    create.reset();
    onClose();
  };
  if (create.data)
    return <SecretOnce secret={create.data.key} title="New API key" label="API key" onDone={done} />;
  return (
    <FormDialog
      title={instead ? `Replace ${instead.label}` : "New API key"}
      submit="Create"
      busy={create.isPending}
      disabled={scopes.length === 0}
      problem={<ProblemView error={create.error} />}
      onSubmit={() => create.mutate(input)}
      onClose={onClose}
    >
      {instead && <Steps />}
      <TextInput
        label="Label"
        description="Where it is used, for example the name of a server."
        {...fields.getInputProps("label")}
        required
        maxLength={255}
        data-autofocus
      />
      <ScopeFields scopes={scopes} onScopes={(next) => fields.setFieldValue("scopes", next)} />
      {isFull && (
        <Checkbox label="I sign in with this key" {...fields.getInputProps("signIn", { type: "checkbox" })} />
      )}
      <LimitFields limits={limits} onLimits={setLimits} error={create.error} />
    </FormDialog>
  );
}

interface ScopeFieldsProps {
  scopes: readonly Scope[];
  onScopes: (scopes: Scope[]) => void;
}

function ScopeFields({ scopes, onScopes }: ScopeFieldsProps): JSX.Element {
  const isFrontend = scopes.length === 1 && scopes[0] === "frontend";
  const use = scopes.includes("full") ? "full" : isFrontend ? "frontend" : "some";
  return (
    <>
      <NativeSelect
        label="Used by"
        value={use}
        onChange={(event) => onScopes(pickScopes([event.currentTarget.value]))}
        data={[
          { value: "full", label: "A server: everything in the project (full)" },
          { value: "some", label: "A server: only what is chosen here" },
          { value: "frontend", label: "A browser: connecting and installing (frontend)" },
        ]}
      />
      {use === "some" && (
        <Checkbox.Group label="Scopes" value={[...scopes]} onChange={(names) => onScopes(pickScopes(names))}>
          <Stack gap={6} mt={4}>
            {SOME_SCOPES.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  );
}

const Steps = (): JSX.Element => (
  <Text size="sm">
    Put the new key where the old one is. When the old one's last use stands still, switch it off and delete
    it later.
  </Text>
);
