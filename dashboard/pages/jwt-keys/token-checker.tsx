/** A field into which a customer's token is pasted, and what the API would say about it. */
import { useEffect, useState, type JSX } from "react";
import { Stack, Text, Textarea } from "@mantine/core";
import { nowMs } from "../../ui/clock.ts";
import { JsonView } from "../../ui/code/code-block.tsx";
import { Section } from "../../ui/section.tsx";
import { checkToken, type CheckedToken, type KnownKey } from "./check-token.ts";

export function TokenChecker({ keys }: { keys: readonly KnownKey[] }): JSX.Element {
  const [token, setToken] = useState("");
  const [checked, setChecked] = useState<CheckedToken>();
  useEffect(() => {
    let isCurrent = true;
    void checkToken(token, keys, nowMs()).then((verdict) => isCurrent && setChecked(verdict));
    return () => {
      isCurrent = false;
    };
  }, [token, keys]);
  return (
    <Section title="Check a token">
      <Stack gap="sm">
        <Textarea
          label="Token"
          description="It is checked in this browser and sent nowhere."
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          rows={3}
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
        />
        {token.trim() !== "" && checked && <Verdict checked={checked} />}
      </Stack>
    </Section>
  );
}

const Verdict = ({ checked: { faults, claims } }: { checked: CheckedToken }): JSX.Element => (
  <div role="status">
    {faults.length === 0 ? (
      <Text size="sm">The API accepts this token.</Text>
    ) : (
      <ul>
        {faults.map((fault) => (
          <li key={fault} className="foreign">
            {fault}
          </li>
        ))}
      </ul>
    )}
    {claims && <JsonView name="Claims" value={claims} />}
  </div>
);
