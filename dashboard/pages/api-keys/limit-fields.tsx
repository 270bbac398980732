/** The fields of a key's limits: addresses that may use it, and how often it may be used. */
import type { JSX } from "react";
import { NumberInput, SimpleGrid, Textarea } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { findEntryIssue, findIssue } from "../../api/queries.ts";

/** What is typed; an empty field sets no limit. */
interface Limits {
  addresses: string;
  requestsPerSecond: number | "";
  burst: number | "";
}

export const readLimits = ({ allowedAddresses = [], rateLimit }: Partial<Schemas["ApiKey"]>): Limits => ({
  addresses: allowedAddresses.join("\n"),
  requestsPerSecond: rateLimit?.requestsPerSecond ?? "",
  burst: rateLimit?.burst ?? "",
});

export const splitAddresses = ({ addresses }: Limits): string[] => addresses.split(/[\s,]+/).filter(Boolean);

/** Returns undefined for no limit. */
export const parseRateLimit = ({
  requestsPerSecond,
  burst,
}: Limits): Schemas["ApiKeyRateLimit"] | undefined =>
  requestsPerSecond === "" ? undefined : { requestsPerSecond, ...(burst !== "" && { burst }) };

/** Returns the limits of a key in a few words. */
export function limitWords({ allowedAddresses = [], rateLimit }: Schemas["ApiKey"]): string {
  const [first] = allowedAddresses;
  const from = allowedAddresses.length > 1 ? `${allowedAddresses.length} networks` : first;
  const often = rateLimit && `${rateLimit.requestsPerSecond}/s`;
  return [from, often].filter((words) => words !== undefined).join(", ") || "none";
}

interface LimitFieldsProps {
  limits: Limits;
  onLimits: (limits: Limits) => void;
  /** The refusal of the call, whose members' names begin with `prefix`. */
  error: unknown;
  prefix?: string;
}

export function LimitFields({ limits, onLimits, error, prefix = "" }: LimitFieldsProps): JSX.Element {
  const parseNumber = (value: string | number) => (value === "" ? "" : Number(value));
  return (
    <>
      <Textarea
        label="Allowed addresses"
        description="IPv4 and IPv6 addresses or networks, one on each line. Empty: all."
        placeholder={"192.0.2.7\n10.0.0.0/8"}
        value={limits.addresses}
        onChange={({ currentTarget }) => onLimits({ ...limits, addresses: currentTarget.value })}
        error={findEntryIssue(error, `${prefix}allowedAddresses`)}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label="Requests per second"
          description="In each process. Empty: no limit."
          value={limits.requestsPerSecond}
          onChange={(value) => onLimits({ ...limits, requestsPerSecond: parseNumber(value) })}
          error={findIssue(error, `${prefix}rateLimit.requestsPerSecond`)}
          inputWrapperOrder={["label", "input", "description", "error"]}
          hideControls
        />
        <NumberInput
          label="Burst"
          description="How many at once after a pause. Empty: those of one second."
          value={limits.burst}
          onChange={(value) => onLimits({ ...limits, burst: parseNumber(value) })}
          disabled={limits.requestsPerSecond === ""}
          error={findIssue(error, `${prefix}rateLimit.burst`)}
          inputWrapperOrder={["label", "input", "description", "error"]}
          hideControls
        />
      </SimpleGrid>
    </>
  );
}
