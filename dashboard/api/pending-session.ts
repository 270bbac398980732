/** Temporary, until the API has sessions by cookie: keeps a bearer token in memory. */
export interface PendingOperations {
  getSession: { input: Record<never, never>; answer: { id: string } | undefined };
  listSignInWays: {
    input: Record<never, never>;
    answer: { ways: readonly { type: "apiKey" | "oidc"; name?: string }[]; firstKey?: string };
  };
}
let token: string | undefined = localStorage.getItem("busbar-pending") ?? undefined;
export const pendingHeaders = (): Record<string, string> =>
  token ? { authorization: `Bearer ${token}` } : {};
export async function pendingAnswer(
  operationId: string,
  input: unknown,
): Promise<{ answer: never } | undefined> {
  const answer = (value: unknown) => ({ answer: value as never });
  if (operationId === "getSession") return answer(token ? { id: "x" } : undefined);
  if (operationId === "listSignInWays")
    return answer({ ways: [{ type: "apiKey" }], firstKey: "In bootstrap.json of the data folder." });
  if (operationId === "createSession") {
    const r = await fetch("/v1/sessions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiKey: (input as { body: { apiKey: string } }).body.apiKey }),
    });
    if (r.ok) {
      token = ((await r.json()) as { token: string }).token;
      localStorage.setItem("busbar-pending", token);
      return answer({});
    }
  }
  return undefined;
}
