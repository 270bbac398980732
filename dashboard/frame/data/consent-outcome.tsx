/** State of a consent: why it failed, or the link for the customer, which is copied. */
import { useEffect, useState, type JSX } from "react";
import { Text } from "@mantine/core";
import { CodeBlock } from "../../ui/code/code-block.tsx";
import { copyText } from "../../ui/copy-button.tsx";
import type { ConsentWindow } from "./consent-window.ts";

interface ConsentOutcomeProps {
  consent: ConsentWindow;
  /** A link that was asked for without a window. */
  link: string | undefined;
}

export function ConsentOutcome({ consent, link }: ConsentOutcomeProps): JSX.Element {
  const [copied, setCopied] = useState<string>();
  useEffect(() => {
    if (link === undefined) return;
    void copyText(link).then(
      () => setCopied(link),
      () => {
        // The browser may forbid it; the link is shown, with a button.
      },
    );
  }, [link]);
  const shown = link ?? consent.link;
  return (
    <>
      {consent.failure !== undefined && (
        <Text size="sm" role="status" className="foreign">
          {consent.failure}
        </Text>
      )}
      {shown !== undefined && (
        <>
          <Text size="sm" role="status">
            {copied === shown ? "The link is copied. Send it" : "Send this link"} to the customer. It can be
            used once, within ten minutes.
          </Text>
          <CodeBlock name="Link for the customer" text={shown} wraps />
        </>
      )}
    </>
  );
}
