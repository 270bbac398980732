/** Checks what an API key is limited to: addresses of callers, and requests per second. */
import { nowMs } from "../../ground/clock.ts";
import { openNetworks } from "../../ground/client-address.ts";
import { Problem } from "../../ground/errors.ts";
import { TokenBuckets } from "../../ground/token-buckets.ts";
import type { KeyOwner } from "../store/access/api-keys.ts";

export interface KeyLimits {
  /** Counts a request. Returns its refusal, 403 or 429; undefined if it may go on. */
  refusal(owner: KeyOwner, address: () => string): Problem | undefined;
}

/** Returns whether a key has limits; most have none and cost nothing. */
export const isLimited = ({ allowedAddresses, rate }: Pick<KeyOwner, "allowedAddresses" | "rate">): boolean =>
  allowedAddresses.length > 0 || rate !== null;

export function openKeyLimits(): KeyLimits {
  const buckets = new TokenBuckets();
  /** The cache of keys returns the same owner until the key changes. */
  const networks = new WeakMap<KeyOwner, (address: string) => boolean>();
  const allows = (owner: KeyOwner, address: string): boolean => {
    const known = networks.get(owner) ?? openNetworks(owner.allowedAddresses);
    networks.set(owner, known);
    return known(address);
  };
  return {
    refusal(owner, address) {
      if (!isLimited(owner)) return undefined;
      const { apiKeyId, allowedAddresses, rate } = owner;
      if (allowedAddresses.length > 0) {
        const from = address();
        // Before the rate: a stolen key must not use it up.
        if (!allows(owner, from)) return refuseAddress(from);
      }
      if (!rate) return undefined;
      const waitMs = buckets.waitMs(apiKeyId, rate);
      if (waitMs > 0) return refuseTooFast(rate, waitMs);
      buckets.take(apiKeyId, rate);
      return undefined;
    },
  };
}

export const refuseAddress = (address: string): Problem =>
  new Problem("forbidden", {
    detail:
      `This API key is not allowed from the address ${address}. Call from one of its \`allowedAddresses\`, or add this one. ` +
      "If it is the address of a reverse proxy, the operator has to list that in BUSBAR_TRUSTED_PROXIES.",
  });

const refuseTooFast = ({ perSecond, burst }: NonNullable<KeyOwner["rate"]>, waitMs: number): Problem =>
  new Problem("too-many-requests", {
    detail:
      `This API key exceeds its rate limit of ${perSecond} requests per second, at most ${burst} at once. ` +
      "Try again later, or raise the key's `rateLimit`.",
    retryAfter: new Date(nowMs() + waitMs),
  });
