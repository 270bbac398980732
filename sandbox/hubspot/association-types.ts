// Association types that HubSpot defines itself, by direction.

type AssociationType = {
  from: string;
  to: string;
  id: number;
  /** Type of the same link in the other direction. */
  inverse: number;
  label: string | null;
  /** Whether it is the default type. */
  unlabeled: boolean;
};

type Row = [from: string, to: string, id: number, inverse: number, label?: string];

const CONTACT = "0-1";
const COMPANY = "0-2";
const DEAL = "0-3";
const TICKET = "0-5";

const ROWS: Row[] = [
  [CONTACT, COMPANY, 279, 280],
  [CONTACT, COMPANY, 1, 2, "Primary"],
  [CONTACT, COMPANY, 931, 930, "Billing contact"],
  [CONTACT, DEAL, 4, 3],
  [DEAL, COMPANY, 341, 342],
  [DEAL, COMPANY, 5, 6, "Primary"],
  [CONTACT, TICKET, 15, 16],
  [COMPANY, TICKET, 340, 339],
  [COMPANY, TICKET, 25, 26, "Primary"],
  [DEAL, TICKET, 27, 28],
  [COMPANY, COMPANY, 450, 450],
  [COMPANY, COMPANY, 14, 13, "Parent Company"],
  [CONTACT, CONTACT, 449, 449],
  [DEAL, DEAL, 451, 451],
  [TICKET, TICKET, 452, 452],
  [DEAL, "0-8", 19, 20],
  [DEAL, "0-14", 63, 64],
  ...buildActivityTypes("0-46", [202, 190, 214, 228]),
  ...buildActivityTypes("0-27", [204, 192, 216, 230]),
  ...buildActivityTypes("0-48", [194, 182, 206, 220]),
  ...buildActivityTypes("0-49", [198, 186, 210, 224]),
  ...buildActivityTypes("0-47", [200, 188, 212, 226]),
  ["0-136", CONTACT, 608, 607],
  ["0-136", CONTACT, 578, 577, "Primary"],
  ["0-136", COMPANY, 610, 609],
  ["0-136", COMPANY, 580, 579, "Primary"],
];

/** Builds the types of an activity with its ids towards contact, company, deal and ticket; the inverse is always one less. */
function buildActivityTypes(from: string, ids: [number, number, number, number]): Row[] {
  return [CONTACT, COMPANY, DEAL, TICKET].map((to, i) => [from, to, ids[i] ?? 0, (ids[i] ?? 0) - 1]);
}

export const ASSOCIATION_TYPES: AssociationType[] = ROWS.flatMap(([from, to, id, inverse, label]) => {
  const forward = { from, to, id, inverse, label: label ?? null, unlabeled: label === undefined };
  const back = {
    from: to,
    to: from,
    id: inverse,
    inverse: id,
    label: label ?? null,
    unlabeled: label === undefined,
  };
  return from === to && id === inverse ? [forward] : [forward, back];
});

const BY_PAIR = new Map<string, AssociationType[]>();
for (const type of ASSOCIATION_TYPES) {
  const pair = `${type.from}>${type.to}`;
  BY_PAIR.set(pair, [...(BY_PAIR.get(pair) ?? []), type]);
}

/** Lists the types from one object type to another; empty for pairs that this table lacks. */
export function listTypes(from: string, to: string): AssociationType[] {
  return BY_PAIR.get(`${from}>${to}`) ?? [];
}
