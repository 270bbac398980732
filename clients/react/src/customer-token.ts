/** The customer's token: kept until it is about to expire, and read for whom it is. */

/** For whom the page works: the claims of the token. */
export interface Customer {
  groupRef: string;
  consumerRef: string;
}

/** A token is replaced when it has less than this left, so that a request in flight does not outlive it. */
const SPARE_MS = 30_000;

interface Claims {
  exp?: number;
  groupRef?: string;
  consumerRef?: string;
}

/** Returns a function that asks `fetchToken` only when the token before is about to expire. Calls at the same time share one request. */
export function keepToken(fetchToken: () => string | Promise<string>): () => Promise<string> {
  let kept: Promise<string> | undefined;
  let expireMs = 0;
  return async () => {
    if (kept && Date.now() < expireMs) return await kept;
    expireMs = Infinity;
    kept = Promise.resolve(fetchToken());
    try {
      const token = await kept;
      expireMs = (readClaims(token).exp ?? 0) * 1_000 - SPARE_MS;
      return token;
    } catch (error) {
      kept = undefined;
      throw error;
    }
  };
}

/** Returns whom the token is for. Throws if it names nobody, as a person's token. */
export function readCustomer(token: string): Customer {
  const { groupRef, consumerRef } = readClaims(token);
  if (groupRef && consumerRef) return { groupRef, consumerRef };
  throw new TypeError(
    "The token names no customer: sign it with groupRef and consumerRef, as signCustomerToken of @busbar/client does.",
  );
}

/** Returns the claims of a JWT, unverified: only Busbar decides by them. */
function readClaims(token: string): Claims {
  try {
    const part = token.split(".")[1] ?? "";
    const bytes = Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (each) =>
      each.charCodeAt(0),
    );
    return JSON.parse(new TextDecoder().decode(bytes)) as Claims;
  } catch {
    return {};
  }
}
