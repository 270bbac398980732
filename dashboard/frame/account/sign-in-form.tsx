/** The form that signs in: with an API key, or at the organisation's identity provider. */
import { useState, type FormEvent, type JSX } from "react";
import { Button, Divider, PasswordInput, Stack, Text } from "@mantine/core";
import { useCall, useChange } from "../../api/queries.ts";
import { CodeWords } from "../../ui/code/code-block.tsx";
import { ProblemView } from "../problem-view.tsx";

interface SignInFormProps {
  /** Path to which the identity provider returns; begins with one slash. */
  returnTo: string;
  onSignedIn: () => void;
}

export function SignInForm({ returnTo, onSignedIn }: SignInFormProps): JSX.Element {
  const { data, error, refetch } = useCall("listSignInWays", {});
  if (!data)
    return error ? <ProblemView error={error} onRetry={() => void refetch()} /> : <Stack mih={120} />;
  const takesKey = data.ways.some(({ type }) => type === "apiKey");
  const issuers = data.ways.filter(({ type }) => type === "oidc");
  return (
    <Stack>
      {issuers.map(({ name = "your identity provider" }) => (
        <Button
          key={name}
          component="a"
          href={`/callbacks/v1/sign-in/begin?returnTo=${encodeURIComponent(returnTo)}`}
        >
          Continue with {name}
        </Button>
      ))}
      {takesKey && issuers.length > 0 && <Divider label="or" />}
      {takesKey && <KeyForm firstKey={data.firstKey} onSignedIn={onSignedIn} />}
    </Stack>
  );
}

function KeyForm({ firstKey, onSignedIn }: { firstKey?: string; onSignedIn: () => void }): JSX.Element {
  const [apiKey, setApiKey] = useState("");
  const { mutate, isPending, error } = useChange("createSession");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(
      { body: { apiKey: apiKey.trim(), cookie: true } },
      {
        onSuccess: () => {
          setApiKey("");
          onSignedIn();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <PasswordInput
          label="API key"
          description={firstKey !== undefined && <CodeWords text={firstKey} />}
          value={apiKey}
          onChange={(event) => setApiKey(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          required
          data-autofocus
          visibilityToggleButtonProps={{ "aria-label": "Show the key", tabIndex: 0 }}
        />
        <ProblemView error={error} />
        <Button type="submit" loading={isPending} disabled={apiKey.trim() === ""}>
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          The key is exchanged for a cookie that scripts cannot read and that ends after twelve hours. It is
          not stored here.
        </Text>
      </Stack>
    </form>
  );
}
