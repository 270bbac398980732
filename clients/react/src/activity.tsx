/** What an integration has done for the customer lately: reads and writes, and how they ended. */
import type { Operation } from "@busbar/client";
import type { ReactNode } from "react";
import { useAnswer, useBusbar } from "./busbar-provider.js";
import { showTime } from "./installation-status.js";
import { Card, useWaiting, type Say } from "./parts.js";
import { useInstallation } from "./use-installation.js";

export interface ActivityState {
  /** Newest first. */
  operations: Operation[];
  isLoading: boolean;
  error?: unknown;
  refresh: () => Promise<void>;
}

/** Returns the latest operations of the customer's installation. */
export function useActivity(integrationName: string, count = 10): ActivityState {
  const { client, answers } = useBusbar();
  const { installation, ...state } = useInstallation(integrationName);
  const installationId = installation?.id;
  const key = `activity/${integrationName}`;
  const found = useAnswer(installationId && `${key}/${installationId}/${count}`, async () => {
    const place = { integrationId: integrationName, installationId: installationId ?? "" };
    return (await client.listOperations({ ...place, pageSize: count })).results;
  });
  return {
    operations: found.value ?? [],
    isLoading: state.isLoading || (installationId !== undefined && found.isLoading),
    error: state.error ?? found.error,
    refresh: () => answers.invalidate(key),
  };
}

export interface InstallationActivityProps {
  /** Id or name of the integration. */
  integration: string;
  /** How many to show (default 10). */
  count?: number;
}

export function InstallationActivity({ integration, count = 10 }: InstallationActivityProps): ReactNode {
  const { say } = useBusbar();
  const state = useActivity(integration, count);
  const waiting = useWaiting(state, !state.isLoading && state.error === undefined);
  return (
    <Card title={say("activity")}>
      {waiting ??
        (state.operations.length === 0 ? (
          <p className="busbar-soft">{say("noActivity")}</p>
        ) : (
          <ul className="busbar-activity">
            {state.operations.map((operation) => (
              <li key={operation.id}>
                <span className={`busbar-status ${TONES[operation.status]}`}>{say(operation.status)}</span>
                <span>
                  {describeOperation(operation, say)}
                  {operation.status === "failure" && operation.result && (
                    <span className="busbar-soft">: {operation.result}</span>
                  )}
                </span>
                <time className="busbar-soft" dateTime={operation.createTime}>
                  {showTime(operation.createTime)}
                </time>
              </li>
            ))}
          </ul>
        ))}
    </Card>
  );
}

const TONES = { success: "busbar-good", failure: "busbar-bad", in_progress: "" };

function describeOperation({ actionType, resource, metadata }: Operation, say: Say): string {
  const object = metadata.objects?.join(", ") ?? resource;
  const records = metadata.read?.records ?? metadata.successfulRecordIds?.length;
  const text = say(actionType === "read" ? "operationRead" : "operationWrite", { object });
  return records === undefined ? text : `${text}, ${say("records", { count: String(records) })}`;
}
