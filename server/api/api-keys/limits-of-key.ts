/** The limits of an API key in requests: who may use it from where, and how often. */
import { Type, type Static } from "typebox";
import { isNetwork, openNetworks } from "../../../ground/client-address.ts";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { memberProblem } from "../../../ground/member-problem.ts";
import type { ApiKeyRow } from "../../store/api-keys.ts";
import { RateLimitSchema } from "./api-key.ts";

export const AllowedAddresses = Type.Array(Type.String({ maxLength: 50 }), {
  maxItems: 100,
  description:
    "IPv4 and IPv6 addresses and networks (`192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`) that may use the key. Behind a " +
    "reverse proxy, the operator has to list that as trusted. Empty: all.",
});

export const KeyRateLimit = described(
  RateLimitSchema,
  "Beyond the limit requests are refused with 429 and `Retry-After`. Each process counts its own requests.",
);

type LimitColumns = Partial<Pick<ApiKeyRow, "allowedAddresses" | "requestsPerSecond" | "burst">>;

interface AskedLimits {
  allowedAddresses?: string[];
  rateLimit?: Static<typeof RateLimitSchema> | null;
}

/** Returns the columns of the limits that a request sets. Throws a 400 Problem for a text that is no network. */
export function limitColumns({ allowedAddresses, rateLimit }: AskedLimits, prefix = ""): LimitColumns {
  allowedAddresses?.forEach((text, index) => {
    if (!isNetwork(text)) throw noNetwork(`${prefix}allowedAddresses[${index}]`, text);
  });
  const { requestsPerSecond = null, burst } = rateLimit ?? {};
  return {
    ...(allowedAddresses && { allowedAddresses }),
    ...(rateLimit !== undefined && {
      requestsPerSecond,
      burst: requestsPerSecond === null ? null : (burst ?? Math.max(1, Math.ceil(requestsPerSecond))),
    }),
  };
}

/** Throws a 409 Problem if the list excludes the address that sets it for its own key, and so locks it out. */
export function requireOwnAddress(allowedAddresses: string[], address: string): void {
  if (allowedAddresses.length === 0 || openNetworks(allowedAddresses)(address)) return;
  throw new Problem("conflict", {
    detail:
      `\`allowedAddresses\` excludes ${address}, the address of this request, which uses the same key. Add the address, or ` +
      "change the key with another one.",
  });
}

function noNetwork(name: string, value: string): Problem {
  const detail =
    "must be an IPv4 or IPv6 address, or a network such as 10.0.0.0/8 or 2001:db8::/32; IPv4 not in its IPv6 form";
  return memberProblem(name, detail, { value });
}
