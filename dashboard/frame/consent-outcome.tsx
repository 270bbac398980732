/** What became of a consent so far: why it failed, or the link for the customer. */
import type { JSX } from "react";
import { Text } from "@mantine/core";
import { CodeBlock } from "../ui/code-block.tsx";
import type { ConsentWindow } from "./consent-window.ts";

interface ConsentOutcomeProps {
  consent: ConsentWindow;
  /** A link that was asked for without a window. */
  link: string | undefined;
}

export function ConsentOutcome({ consent, link = consent.link }: ConsentOutcomeProps): JSX.Element {
  return (
    <>
      {consent.failure !== undefined && (
        <Text size="sm" role="status" className="foreign">
          {consent.failure}
        </Text>
      )}
      {link && (
        <>
          <Text size="sm">Send this link to the customer. It can be used once, within ten minutes.</Text>
          <CodeBlock name="Link for the customer" text={link} wraps />
        </>
      )}
    </>
  );
}
