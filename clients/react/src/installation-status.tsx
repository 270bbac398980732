/** How an integration does for the customer, why not well, and what to do about it. */
import type { HealthReason, Installation, ReadPause } from "@busbar/client";
import type { ReactNode } from "react";
import { useBusbar } from "./busbar-provider.js";
import { ConnectForm } from "./connect.js";
import { Card, Confirm, useWaiting, type Say } from "./parts.js";
import { useConnection } from "./use-connection.js";
import { useInstallation } from "./use-installation.js";

export interface InstallationStatusProps {
  /** Id or name of the integration. */
  integration: string;
  onUninstall?: () => void;
  /** Whether the customer may uninstall (default true). */
  canUninstall?: boolean;
}

export function InstallationStatus(props: InstallationStatusProps): ReactNode {
  const { integration: name, onUninstall, canUninstall = true } = props;
  const { say } = useBusbar();
  const state = useInstallation(name);
  const { integration, installation } = state;
  const connection = useConnection(integration?.provider);
  const title = integration?.latestRevision.content.displayName ?? integration?.name ?? name;
  const provider = connection.provider?.displayName ?? integration?.provider ?? "";
  const waiting = useWaiting(state, integration !== undefined && !state.isLoading);
  const isHealthy = installation?.healthStatus === "healthy";
  const { status } = connection.connection ?? installation?.connection ?? {};
  const mustReconnect = status === "bad_credentials";
  return (
    <Card
      title={title}
      status={installation && say(isHealthy ? "healthy" : "unhealthy")}
      tone={isHealthy ? "good" : "bad"}
    >
      {waiting ?? (
        <>
          {!installation && <p className="busbar-soft">{say("notInstalled")}</p>}
          {installation && (
            <Reasons installation={installation} provider={provider} mustReconnect={mustReconnect} />
          )}
          {installation && mustReconnect && <ConnectForm state={connection} />}
          {installation && canUninstall && (
            <Confirm
              button={say("uninstall")}
              question={say("confirmUninstall", { provider })}
              act={async () => {
                await state.uninstall();
                onUninstall?.();
              }}
            />
          )}
        </>
      )}
    </Card>
  );
}

function Reasons({
  installation,
  provider,
  mustReconnect,
}: {
  installation: Installation;
  provider: string;
  mustReconnect: boolean;
}): ReactNode {
  const { say } = useBusbar();
  const { healthReasons, readPauses } = installation;
  if (healthReasons.length + readPauses.length === 0) return null;
  return (
    <ul className="busbar-reasons">
      {healthReasons.map((reason) => (
        <li key={`${reason.type} ${reason.name}`}>
          {explainReason(reason, { provider, mustReconnect, say })}{" "}
          <span className="busbar-soft">{say("since", { time: showTime(reason.since) })}</span>
        </li>
      ))}
      {readPauses.map((pause) => (
        <li key={`pause ${pause.object}`}>
          {explainPause(pause, say)}{" "}
          <span className="busbar-soft">{say("since", { time: showTime(pause.time) })}</span>
        </li>
      ))}
    </ul>
  );
}

function explainReason(
  { type, name, detail }: HealthReason,
  { provider, mustReconnect, say }: { provider: string; mustReconnect: boolean; say: Say },
): string {
  // The builder's app at the provider is none of the customer's business either.
  if (type === "connection") return say(mustReconnect ? "refused" : "unreachable", { provider });
  // The builder's destination is none of the customer's business.
  if (type === "destination") return say("destinationReason");
  return `${name}: ${detail}`;
}

const explainPause = ({ object, by }: ReadPause, say: Say): string =>
  say(by === "api" ? "pausedByApi" : "pausedByBusbar", { object });

/** Returns the time in the words of the customer's browser. */
export const showTime = (time: string): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
