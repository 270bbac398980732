/** Asks before an integration is deleted, and tells how many installations go along. */
import type { JSX } from "react";
import { useCall, useChange } from "../../api/queries.ts";
import { useOpenInProject } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";

/** More are not counted. */
const MAX_COUNTED = 200;

export function DeleteIntegration({ name, onClose }: { name: string; onClose: () => void }): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const input = { projectIdOrName, integration: name, pageSize: MAX_COUNTED };
  const { data: installed, isLoading: isCounting } = useCall("listProjectInstallations", input);
  const { mutate, isPending, error } = useChange("deleteIntegration", { forget: ["listIntegrations"] });
  const count = installed?.results.length;
  const customers = `${count}${installed?.pagination.done === false ? " or more" : ""} installation${count === 1 ? "" : "s"}`;
  return (
    <ConfirmDelete
      opened
      what={`integration ${name}`}
      // The name is also required if the installations could not be counted.
      {...(count !== 0 && !isCounting && { typeName: name })}
      busy={isPending || isCounting}
      problem={<ProblemView error={error} />}
      onDelete={() =>
        mutate({ projectIdOrName, integrationIdOrName: name }, { onSuccess: () => open("/integrations") })
      }
      onClose={onClose}
    >
      {installed
        ? `Its revisions go along, and ${customers}: writes and reads of these customers end. Their connections stay.`
        : isCounting
          ? "Counting installations …"
          : "Its revisions go along, and its installations, which could not be counted. Connections stay."}
    </ConfirmDelete>
  );
}
