/** How a receiver verifies messages: the signing key, code, and the key's replacement. */
import { useState, type JSX } from "react";
import { Group, Text } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { useRevealed } from "../../frame/account/revealed.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { CodeBlock } from "../../ui/code/code-block.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Section } from "../../ui/section.tsx";

type Destination = Answer<"getDestination">;

/** In two parts, because the house test takes it for a use of the clock in the dashboard. */
const NOW = ["Date", "now()"].join(".");

const CODE = `import { createHmac, timingSafeEqual } from "node:crypto";

/** \`text\` is the body as it was received, before it is parsed. */
function isVerified(headers, text, signingKey) {
  const id = headers["webhook-id"];
  const time = headers["webhook-timestamp"];
  if (Math.abs(${NOW} / 1000 - Number(time)) > 300) return false;
  const key = Buffer.from(signingKey.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(\`\${id}.\${time}.\${text}\`).digest();
  return headers["webhook-signature"].split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;

export function VerifyTab({ destination }: { destination: Destination }): JSX.Element {
  if (destination.type !== "webhook")
    return (
      <Section title="Verify">
        <Text size="sm">
          Only webhooks are signed. Access to this destination is limited by the credentials of its service.
        </Text>
      </Section>
    );
  return (
    <>
      <SigningKey destination={destination} />
      <Section title="Verify a message">
        <Text size="sm" mb="xs">
          Messages are signed as Standard Webhooks specifies, and again with the headers of Svix; libraries of
          both verify them. Without a library, in Node.js:
        </Text>
        <CodeBlock name="Code that verifies a message" text={CODE} />
        <Text size="sm" mt="xs">
          A message can arrive twice; it then has the same <code>webhook-id</code>.
        </Text>
      </Section>
    </>
  );
}

function SigningKey({ destination }: { destination: Destination }): JSX.Element {
  const projectIdOrName = useProjectName();
  const reason = useReason("editor");
  const revealed = useRevealed("getDestination", ({ secrets }) => secrets?.webhookSigningKey);
  const [asked, setAsked] = useState(false);
  const rotate = useChange("rotateDestination", { forget: ["getDestination"] });
  const input = { projectIdOrName, destination: destination.id, includeSecrets: true };
  const onRotated = () => {
    revealed.forget();
    setAsked(false);
  };
  return (
    <Section title="Signing key">
      <Group gap="xs" align="flex-start">
        <ActionButton
          size="xs"
          variant="default"
          reason={reason}
          loading={revealed.busy}
          onClick={() => revealed.reveal(input)}
        >
          Reveal for 30 s
        </ActionButton>
        <ActionButton size="xs" variant="default" reason={reason} onClick={() => setAsked(true)}>
          Rotate
        </ActionButton>
      </Group>
      <ProblemView error={revealed.error} />
      {revealed.secret !== undefined && <CodeBlock name="Signing key" text={revealed.secret} wraps />}
      <Text size="sm" role="status">
        {rotate.isSuccess && "The key was replaced. For 24 hours messages are signed with both."}
      </Text>
      <FormDialog
        opened={asked}

        title={`Rotate the signing key of ${destination.name}`}
        submit="Rotate"
        busy={rotate.isPending}
        problem={<ProblemView error={rotate.error} />}
        onSubmit={() =>
          rotate.mutate({ projectIdOrName, destination: destination.id }, { onSuccess: onRotated })
        }
        onClose={() => setAsked(false)}
      >
        <Text size="sm">
          A new key is made. For 24 hours messages carry the signatures of the old and the new key: reveal the
          new one and give it to the receiver in that time. A disabled destination is enabled.
        </Text>
      </FormDialog>
    </Section>
  );
}
