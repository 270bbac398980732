/** What deliveries are about: columns and filters of their lists. */
import type { Schemas } from "../../api.gen.ts";
import type { Column } from "../../ui/data-table.tsx";
import { toOptions, type FilterField } from "../../ui/filter-bar.tsx";
import { encodePart, ProjectLink } from "../page-link.tsx";

type Delivery = Pick<Schemas["Delivery"], "groupRef" | "integration" | "object" | "records">;

export const CUSTOMER_COLUMN: Column<Delivery> = {
  head: "Customer",
  cell: ({ groupRef }) =>
    groupRef === undefined ? (
      "–"
    ) : (
      <ProjectLink to={`/customers/${encodePart(groupRef)}`}>
        <span className="foreign">{groupRef}</span>
      </ProjectLink>
    ),
  line: 2,
};

export const OBJECT_COLUMNS: Column<Delivery>[] = [
  {
    head: "Integration",
    cell: ({ integration }) => <span className="foreign">{integration ?? "–"}</span>,
    line: 2,
  },
  { head: "Object", cell: ({ object }) => <span className="foreign">{object ?? "–"}</span>, line: 2 },
  { head: "Records", align: "right", labelled: true, cell: ({ records }) => records ?? "–", line: 2 },
];

export const DELIVERY_STATUSES = ["waiting", "sending", "delivered", "failed"];
const KINDS = ["read", "subscribe", "schema", "notification"];

/** For the deliveries of one customer. */
export const OBJECT_FILTERS: FilterField[] = [
  { kind: "text", name: "integration", label: "Integration" },
  { kind: "text", name: "object", label: "Object" },
  {
    kind: "choice",
    name: "kind",
    label: "Kind",
    options: toOptions(KINDS),
  },
];

export const SUBJECT_FILTERS: FilterField[] = [
  { kind: "text", name: "groupRef", label: "Customer" },
  ...OBJECT_FILTERS,
];
