/** For tests only: an account of the sandbox as the conformance suite of reading connectors needs it. */
import { startSandbox, type ProviderControls, type Sandbox } from "../../sandbox/sandbox.ts";
import type { ProviderFetch } from "../calls/provider-fetch.ts";
import type { ReadingAccount } from "./reading-account.ts";

type Provided = Pick<ReadingAccount, "objectName" | "names" | "purge" | "restore" | "delete" | "records"> &
  Pick<ReadingAccount, "put" | "generate" | "expireCursors" | "now" | "advance" | "fetch">;

/** Returns a sandbox without limits of rate. */
export const openSandbox = (): Promise<Sandbox> => startSandbox({ limits: "off" });

/** Forgets everything, deletes the seeded records of the object, and returns what the sandbox can do of an account. */
export function buildSandboxAccount(
  sandbox: Sandbox,
  { account, url, mintToken }: ProviderControls,
  of: Pick<ReadingAccount, "objectName" | "names">,
): Provided {
  sandbox.reset();
  const { objectName, names } = of;
  const seeded = [...account.dump(objectName, false)];
  for (const { id } of seeded) account.purge(objectName, String(id));
  return {
    ...of,
    fetch: fetchFrom(url, mintToken().accessToken),
    now: () => new Date(sandbox.clock.now()),
    advance: (ms) => sandbox.clock.advance(ms),
    generate(count, changedAt, values = {}) {
      const at = changedAt.getTime();
      account.generate(objectName, { count, changedFrom: at, changedTo: at, values });
    },
    put: ({ id, values = {}, changedAt }) =>
      account.put(objectName, {
        values,
        stamp: true,
        ...(id !== undefined && { id }),
        ...(changedAt && { changedAt: changedAt.getTime() }),
      }),
    delete: (id) => account.archive(objectName, id),
    purge: (id) => account.purge(objectName, id),
    restore: (id) => account.restore(objectName, id),
    expireCursors: () => account.expireCursors(),
    records: () =>
      new Map(
        [...account.dump(objectName, false)].map(({ id, values }) => [
          String(id),
          getValueIn(values, names.text),
        ]),
      ),
  };
}

function getValueIn(values: unknown, name: string): string | undefined {
  const member: unknown =
    typeof values === "object" && values !== null ? Reflect.get(values, name) : undefined;
  return typeof member === "string" ? member : undefined;
}

/** Returns a fetch that calls a provider of the sandbox with a token. */
export const fetchFrom =
  (base: string, token: string): ProviderFetch =>
  async ({ method, path, headers, body }) => {
    const response = await fetch(base + path, {
      method,
      redirect: "manual",
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  };
