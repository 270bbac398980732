/** The reasons for what is here and not in the public API at all: agents, and what a self-hosted service tells more. */
import type { Explanation } from "./explain.ts";

export const ADDITIONS: Explanation[] = [
  {
    lines: [
      "*/agent-policy* | operation | ours only",
      "*/approvals* | operation | ours only",
      "*/api-keys* | * *agentMayDeploy | ours only",
      "*operations* | answer 200 *actor | ours only",
      "*/notification-event-topic-routes | * *eventType | also agent.approval.decided, agent.approval.requested, installation.health.changed",
    ],
    why: "Agents, what they may do and who approves it; an event when a customer's health changes",
  },
  {
    lines: [
      "* | answer 20? *verified | ours only",
      "* | answer 20? *refreshFailure | ours only",
      "*/installations* | answer 20? *healthReasons | ours only",
      "*/config-content | answer 200 healthReasons | ours only",
      "*/installations* | answer 20? *warnings | ours only",
      "*/config-content | answer 200 warnings | ours only",
      "*/backfill-progress | answer 200 recordsPerSecond | ours only",
      "*/backfill-progress | answer 200 secondsLeft | ours only",
      "*/backfill-progress | answer 200 waitingFor | ours only",
      "*/records/{}/{} | operation | ours only",
    ],
    why: "Why a customer gets nothing, or gets it late, without a question to the operator",
  },
  {
    lines: ["GET /llms.txt | operation | ours only"],
    why: "The guide for language models, beside the pages for people",
  },
];
