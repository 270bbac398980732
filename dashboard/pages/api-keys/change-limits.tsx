/** The dialog that changes from where and how often a key may be used. */
import { useState, type JSX } from "react";
import type { Schemas } from "../../api.gen.ts";
import { useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { splitAddresses, LimitFields, readLimits, parseRateLimit } from "./limit-fields.tsx";

interface ChangeLimitsProps {
  apiKey: Schemas["ApiKey"];
  onClose: () => void;
}

export function ChangeLimits({ apiKey, onClose }: ChangeLimitsProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const [limits, setLimits] = useState(readLimits(apiKey));
  const update = useChange("updateApiKey", { forget: ["listApiKeys"] });
  const changed = { allowedAddresses: splitAddresses(limits), rateLimit: parseRateLimit(limits) ?? null };
  const body = { updateMask: Object.keys(changed), apiKey: changed };
  const input = { projectIdOrName, apiKey: apiKey.id, body };
  useDraft("updateApiKey", input);
  return (
    <FormDialog
      title={`Limits of ${apiKey.label}`}
      submit="Save"
      busy={update.isPending}
      problem={<ProblemView error={update.error} />}
      onSubmit={() => update.mutate(input, { onSuccess: onClose })}
      onClose={onClose}
    >
      <LimitFields limits={limits} onLimits={setLimits} error={update.error} prefix="apiKey." />
    </FormDialog>
  );
}
