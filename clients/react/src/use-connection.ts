/** The customer's connection to one provider: what there is, and what can be done with it. */
import type { Connection, Provider } from "@busbar/client";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useAnswer, useBusbar } from "./busbar-provider.js";
import { connectAccount } from "./connect-account.js";
import {
  chooseWay,
  listCredentialFields,
  type ConnectWay,
  type CredentialField,
} from "./credential-fields.js";

export interface ConnectionState {
  /** Undefined while none exists, or while it is not known. */
  connection?: Connection;
  provider?: Provider;
  way?: ConnectWay;
  /** What the customer has to type before connecting. */
  fields: CredentialField[];
  isLoading: boolean;
  /** Why provider or connection could not be asked for. */
  error?: unknown;
  isConnecting: boolean;
  /** Why the latest attempt failed: a `ConsentEnded`, `ConsentRefused` or `BusbarError`. */
  connectError?: unknown;
  /** Connects, or renews the connection. Call it in the handler of a click. Returns whether it is connected; `connectError` is why not. */
  connect: (values?: Record<string, string>) => Promise<boolean>;
  cancel: () => void;
  /** Deletes the connection. Throws `BusbarError` (409) while an installation uses it. */
  disconnect: () => Promise<void>;
  refresh: () => Promise<void>;
}

/** Without a name, for example while an integration is asked for, it is loading. */
export function useConnection(providerName: string | undefined): ConnectionState {
  const { client, project, answers, findCustomer, names } = useBusbar();
  const name = providerName ?? "";
  const keyed = (kind: string) => (providerName === undefined ? undefined : `${kind}/${name}`);
  const provider = useAnswer(keyed("provider"), () => client.getProvider({ provider: name }));
  const found = useAnswer(keyed("connection"), async () => {
    const { groupRef } = await findCustomer();
    const [connection] = await client.listConnections({ groupRef, provider: name });
    return { connection };
  });
  const [attempt, setAttempt] = useState<{ isConnecting: boolean; connectError?: unknown }>({
    isConnecting: false,
  });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const connection = found.value?.connection;
  const refresh = useCallback(async () => {
    // An installation shows its connection, and is healthy or not because of it.
    await Promise.all([answers.invalidate("connection/"), answers.invalidate("installation/")]);
  }, [answers]);
  const info = provider.value;
  return {
    ...(connection && { connection }),
    ...(info && { provider: info, way: chooseWay(info) }),
    fields: useMemo(() => (info ? listCredentialFields(info) : []), [info]),
    isLoading: provider.isLoading || found.isLoading,
    error: provider.error ?? found.error,
    ...attempt,
    async connect(values = {}) {
      if (!info) return false;
      running.current?.abort();
      const { signal } = (running.current = new AbortController());
      setAttempt({ isConnecting: true });
      const request = { client, project, provider: info, findCustomer, names, values, signal };
      try {
        await connectAccount({ ...request, ...(connection && { existing: connection }) });
        await refresh();
        if (!signal.aborted) setAttempt({ isConnecting: false });
        return true;
      } catch (connectError) {
        if (!signal.aborted) setAttempt({ isConnecting: false, connectError });
        return false;
      }
    },
    cancel() {
      running.current?.abort();
      setAttempt({ isConnecting: false });
    },
    async disconnect() {
      if (connection) await client.deleteConnection({ connectionId: connection.id });
      await refresh();
    },
    refresh,
  };
}
