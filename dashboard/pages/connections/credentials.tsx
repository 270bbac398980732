/** The credentials of a connection: shown for 30 seconds on request, and refreshed. */
import type { JSX } from "react";
import { Group, Text } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useRevealed } from "../../frame/account/revealed.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { CodeBlock } from "../../ui/code/code-block.tsx";
import { Section } from "../../ui/section.tsx";

type Connection = Answer<"getConnection">;

interface Props {
  connection: Connection;
  input: { projectIdOrName: string; connectionId: string };
}

export function Credentials({ connection, input }: Props): JSX.Element {
  const reason = useReason("editor");
  const revealed = useRevealed("getConnection", showSecrets);
  const refresh = useChange("getConnection", { forget: ["getConnection", "listEvents"] });
  const isOAuth = connection.authScheme.startsWith("oauth2");
  return (
    <Section title="Credentials">
      <Group gap="xs" align="flex-start">
        <ActionButton
          size="xs"
          variant="default"
          reason={reason}
          loading={revealed.busy}
          onClick={() => revealed.reveal({ ...input, includeCreds: true })}
        >
          Reveal for 30 s
        </ActionButton>
        {isOAuth && (
          <ActionButton
            size="xs"
            variant="default"
            reason={reason}
            loading={refresh.isPending}
            onClick={() => refresh.mutate({ ...input, refresh: "force" })}
          >
            Refresh token
          </ActionButton>
        )}
      </Group>
      <Text size="sm" role="status" mt="xs">
        {refresh.isSuccess && "The provider gave a new access token."}
      </Text>
      <ProblemView error={revealed.error ?? refresh.error} />
      {revealed.secret !== undefined && <CodeBlock name="Credentials" text={revealed.secret} wraps />}
    </Section>
  );
}

function showSecrets({ apiKey, oauth2AuthorizationCode: oauth }: Connection): string {
  if (apiKey !== undefined) return apiKey;
  if (!oauth) return "Credentials of this scheme are not shown.";
  const { accessToken, scopes } = oauth;
  return [
    accessToken?.token,
    accessToken?.expiresAt && `expires ${accessToken.expiresAt}`,
    scopes && scopes.length > 0 && `scopes ${scopes.join(" ")}`,
  ]
    .filter(Boolean)
    .join("\n");
}
