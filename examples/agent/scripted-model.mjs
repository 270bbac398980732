/** A model that costs nothing and always does the same: what a language model would do with the task of this example. */
import { MockLanguageModelV4 } from "ai/test";

const USAGE = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };

export const scriptedModel = () =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const next = nextStep(prompt);
      const content =
        typeof next === "string"
          ? [{ type: "text", text: next }]
          : [
              {
                type: "tool-call",
                toolCallId: crypto.randomUUID(),
                ...next,
                input: JSON.stringify(next.input),
              },
            ];
      const finishReason = { unified: typeof next === "string" ? "stop" : "tool-calls", raw: undefined };
      return { content, finishReason, usage: USAGE, warnings: [] };
    },
  });

/** The customer may have other integrations with an object of this name. */
const PERSON = { integration: "people-for-agents", object: "person" };

/** Returns the next call of a tool, or what the model says at the end. */
function nextStep(prompt) {
  const results = prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content);
  const result = (name) => {
    const { output } = results.findLast(({ toolName }) => toolName === name) ?? {};
    return output && JSON.parse(output.value[0].text);
  };
  const found = result("search_records");
  const written = result("update_record");
  const approval = result("get_approval");
  const isDecided = prompt.filter(({ role }) => role === "user").length > 1;
  if (!found) {
    const filters = [{ field: "familyName", operator: "eq", value: "King" }];
    return { toolName: "search_records", input: { ...PERSON, filters } };
  }
  const refused = found.problem ?? written?.problem ?? approval?.problem;
  if (refused) return `I could not go on: ${refused.detail}`;
  const [person] = found.records ?? [];
  if (!person) return "There is nobody of that name.";
  if (!written)
    return {
      toolName: "update_record",
      input: { ...PERSON, id: person.id, record: { title: "CTO" } },
    };
  if (written.status !== "approval_required") return `The update: ${written.status}.`;
  if (!isDecided) return "I have asked for the change of the title; a person has to approve it.";
  if (!approval) return { toolName: "get_approval", input: { approvalId: written.approval.approvalId } };
  return `The change of the title was ${approval.status}.`;
}
