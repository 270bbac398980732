/** Acts of agents that wait for somebody's decision: one of your people, or of the customer's where the policy for agents lets them. */
import type { Approval } from "@busbar/client";
import type { ReactNode } from "react";
import { useAnswer, useBusbar } from "./busbar-provider.js";
import { showTime } from "./installation-status.js";
import { Button, Card, Failure, useAct, useWaiting } from "./parts.js";

export interface ApprovalsState {
  /** Those that wait, newest first. */
  approvals: Approval[];
  isLoading: boolean;
  error?: unknown;
  /** Decides for the act exactly as it is stored, once. */
  decide: (approvalId: string, decision: "approve" | "reject", reason?: string) => Promise<void>;
  refresh: () => Promise<void>;
}

/**
 * Needs the token of a person with the role editor or owner, or a customer's token where the policy has `customersMayDecide`: it sees its own
 * customer's. `groupRef`: of this customer only.
 */
export function useApprovals(groupRef?: string): ApprovalsState {
  const { client, answers } = useBusbar();
  const found = useAnswer(`approvals/${groupRef ?? ""}`, async () => {
    const { results } = await client.listApprovals({ status: "pending", ...(groupRef && { groupRef }) });
    return results;
  });
  const refresh = () => answers.invalidate("approvals/");
  return {
    approvals: found.value ?? [],
    isLoading: found.isLoading,
    error: found.error,
    refresh,
    async decide(approvalId, decision, reason) {
      const decideApprovalRequest = { decision, ...(reason && { reason }) };
      try {
        await client.decideApproval({ approvalId, decideApprovalRequest });
      } finally {
        // Also when somebody else was first.
        await refresh();
      }
    },
  };
}

export interface ApprovalsProps {
  /** Shows those of one customer only. */
  groupRef?: string;
  onDecide?: (approval: Approval, decision: "approve" | "reject") => void;
}

export function Approvals({ groupRef, onDecide }: ApprovalsProps): ReactNode {
  const { say } = useBusbar();
  const state = useApprovals(groupRef);
  const waiting = useWaiting(state, !state.isLoading && state.error === undefined);
  return (
    <Card title={say("approvals")}>
      {waiting ??
        (state.approvals.length === 0 ? (
          <p className="busbar-soft">{say("noApprovals")}</p>
        ) : (
          state.approvals.map((approval) => (
            <Decision
              key={approval.id}
              approval={approval}
              decide={async (decision) => {
                await state.decide(approval.id, decision);
                onDecide?.(approval, decision);
              }}
            />
          ))
        ))}
    </Card>
  );
}

function Decision({
  approval,
  decide,
}: {
  approval: Approval;
  decide: (decision: "approve" | "reject") => Promise<void>;
}): ReactNode {
  const { say } = useBusbar();
  const approving = useAct(() => decide("approve"));
  const rejecting = useAct(() => decide("reject"));
  const isBusy = approving.isRunning || rejecting.isRunning;
  const { actor, tool, object = "", recordId = "", groupRef = "", before = {}, after, expireTime } = approval;
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after ?? {})])];
  const who = actor.client ?? actor.name ?? actor.id;
  const title = say("asks", { who, tool });
  return (
    <fieldset className="busbar-object">
      <legend>{title}</legend>
      <p className="busbar-soft">
        {[groupRef, object, recordId].filter(Boolean).join(" · ")}{" "}
        {say("until", { time: showTime(expireTime) })}
      </p>
      {fields.length > 0 && (
        <table className="busbar-change">
          <thead>
            <tr>
              <th scope="col">{say("field")}</th>
              <th scope="col">{say("before")}</th>
              <th scope="col">{say("after")}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>{showValue(before[field])}</td>
                <td>{showValue(after?.[field])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Failure error={approving.error ?? rejecting.error} />
      <div className="busbar-form">
        <Button kind="main" disabled={isBusy} onClick={() => void approving.run()}>
          {say("approve")}
        </Button>
        <Button kind="danger" disabled={isBusy} onClick={() => void rejecting.run()}>
          {say("reject")}
        </Button>
      </div>
    </fieldset>
  );
}

const showValue = (value: unknown): string =>
  value === undefined || value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value);
