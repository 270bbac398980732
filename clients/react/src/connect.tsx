/** Connects the customer's account at a provider, shows the connection, and connects it again. */
import type { Connection } from "@busbar/client";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useBusbar } from "./busbar-provider.js";
import { ConsentEnded } from "./consent-window.js";
import { Button, Card, Confirm, Failure, FieldsForm, useWaiting, type Say } from "./parts.js";
import { useConnection, type ConnectionState } from "./use-connection.js";

export interface ConnectProps {
  /** The provider's name, for example `hubspot`. */
  provider: string;
  /** Called when the customer has connected, or connected again. */
  onConnect?: (connection: Connection) => void;
  onDisconnect?: () => void;
  /** Whether the customer may delete the connection (default true). */
  canDisconnect?: boolean;
}

export function Connect({
  provider: name,
  onConnect,
  onDisconnect,
  canDisconnect = true,
}: ConnectProps): ReactNode {
  const { say } = useBusbar();
  const state = useConnection(name);
  const { connection, provider } = state;
  const title = provider?.displayName ?? name;
  const isBad = connection?.status === "bad_credentials";
  const waiting = useWaiting(state, provider !== undefined && !state.isLoading);
  const workspace = connection?.providerWorkspaceRef;
  const connected = workspace ? say("connectedTo", { workspace }) : say("connected");
  const status = isBad ? say("unhealthy") : connection && connected;
  return (
    <Card title={title} status={status} tone={isBad ? "bad" : "good"} isBusy={state.isConnecting}>
      {waiting ?? (
        <>
          {isBad && <p>{say("refused", { provider: title })}</p>}
          {connection && !isBad && !connection.verified && <p>{say("unverified", { provider: title })}</p>}
          <ConnectForm state={state} {...(onConnect && { onConnect })} />
          {connection && canDisconnect && !state.isConnecting && (
            <Confirm
              button={say("disconnect")}
              question={say("confirmDisconnect", { provider: title })}
              act={async () => {
                await state.disconnect();
                onDisconnect?.();
              }}
            />
          )}
        </>
      )}
    </Card>
  );
}

/** The button that connects, with the fields that the provider needs; for an existing connection they come after the button. */
export function ConnectForm({
  state,
  onConnect,
}: {
  state: ConnectionState;
  onConnect?: (connection: Connection) => void;
}): ReactNode {
  const { say } = useBusbar();
  const { connection, provider, isConnecting, way } = state;
  const [isOpen, setOpen] = useState(false);
  const announced = useRef<(connection: Connection) => void>(undefined);
  // The connection comes with the answers after the attempt.
  useEffect(() => {
    if (connection) announced.current?.(connection);
    announced.current = undefined;
  }, [connection]);
  if (!provider) return null;
  const names = { provider: provider.displayName ?? provider.name };
  if (provider.documentationOnly)
    return <p>{say("unavailable", { ...names, reason: provider.documentationOnly })}</p>;
  const submit = async (values: Record<string, string>) => {
    announced.current = onConnect;
    if (await state.connect(values)) setOpen(false);
    else announced.current = undefined;
  };
  const isNew = connection === undefined;
  const kind = isNew || isOpen || connection.status === "bad_credentials" ? "main" : "plain";
  // A consent is renewed for the account that it was given for.
  const fields = isNew || way !== "consent" ? state.fields : [];
  if (!isNew && fields.length > 0 && !isOpen)
    return (
      <Button kind={kind} onClick={() => setOpen(true)}>
        {say("reconnect")}
      </Button>
    );
  const button = isNew ? say("connect", names) : say(isOpen ? "save" : "reconnect");
  return (
    <FieldsForm fields={fields} isBusy={isConnecting} submit={(values) => void submit(values)}>
      <Failure error={explainEnd(state.connectError, say, names)} />
      <Button kind={kind} type="submit" disabled={isConnecting}>
        {isConnecting ? say("connecting", names) : button}
      </Button>
      {(isConnecting || isOpen) && (
        <Button
          onClick={() => {
            state.cancel();
            setOpen(false);
          }}
        >
          {say("cancel")}
        </Button>
      )}
    </FieldsForm>
  );
}

/** Returns the error with words for the customer, where a window ended without an answer. */
function explainEnd(error: unknown, say: Say, names: { provider: string }): unknown {
  if (!(error instanceof ConsentEnded)) return error;
  return error.reason === "cancelled" ? undefined : say(error.reason, names);
}
