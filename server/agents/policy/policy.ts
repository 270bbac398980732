/** What agents may do in a project: the policy, its checks, and the decision about one call of a tool. */
import { Type, type Static } from "typebox";
import { Problem, type Issue } from "../../../ground/errors.ts";
import { parseValuePath } from "../../../ground/field-path.ts";
import { createValidator } from "../../http/validation.ts";
import { findAgentPolicy } from "../../store/agents/agent-policies.ts";
import type { Database } from "../../store/database/database.ts";

/** The tools of the customer endpoint, in the order in which it lists them. */
const AGENT_TOOLS = [
  "list_integrations",
  "find_objects",
  "describe_object",
  "search_records",
  "get_record",
  "create_record",
  "update_record",
  "upsert_record",
  "delete_record",
  "call_api",
  "get_operation",
  "get_approval",
  "undo_operation",
  "connect_account",
] as const;

export type AgentTool = (typeof AGENT_TOOLS)[number];

const DECISIONS = ["allow", "ask", "forbid"] as const;
export type Decision = (typeof DECISIONS)[number];

/** What a call does, for the defaults. */
export type ActKind = "read" | "write" | "delete" | "callApiRead" | "callApiWrite";

const FITS_ALL = "*";
const name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));

const RuleSchema = Type.Object(
  {
    tool: Type.Optional(
      Type.Enum([...AGENT_TOOLS, FITS_ALL], { description: "The tool. Missing or `*`: every tool." }),
    ),
    integration: name("Name of the integration. Missing or `*`: every integration."),
    object: name(
      "The object, by your name or the provider's, in any case. Missing or `*`: every object, and tools without one.",
    ),
    decision: Type.Enum([...DECISIONS], {
      description:
        "`allow`: it is done. `ask`: a person or your server decides first; the act waits as an approval, and reads are refused. " +
        "`forbid`: it is refused.",
    }),
  },
  { title: "AgentRule", description: "Decides about the calls that fit it." },
);

const describeDecision = (what: string, usual: Decision) =>
  Type.Optional(Type.Enum([...DECISIONS], { description: `${what}. Default: \`${usual}\`.` }));
const describeBudget = (of: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: `Most acts of agents ${of} that are sent within an hour, whichever hour. Default: no limit.`,
    }),
  );

export const AgentPolicySchema = Type.Object(
  {
    rules: Type.Optional(
      Type.Array(RuleSchema, {
        maxItems: 500,
        description: "The first rule that fits a call decides about it.",
      }),
    ),
    default: Type.Optional(
      Type.Object(
        {
          read: describeDecision("Reading records and everything about them", "allow"),
          write: describeDecision("Creating, updating, upserting, and undoing that", "ask"),
          delete: describeDecision("Deleting records", "forbid"),
          callApiRead: describeDecision("`call_api` with GET or HEAD", "allow"),
          callApiWrite: describeDecision("`call_api` with any other method", "forbid"),
        },
        { description: "Decides where no rule fits." },
      ),
    ),
    hiddenFields: Type.Optional(
      Type.Record(
        Type.String({ minLength: 1, maxLength: 200 }),
        Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 500 }),
        {
          maxProperties: 200,
          description:
            "By object, the fields that agents neither see, search by nor write; both by your names or the provider's, in any " +
            "case. The object `*` is every object.",
        },
      ),
    ),
    budgets: Type.Optional(
      Type.Object(
        {
          writesPerHour: describeBudget("in the project"),
          writesPerHourPerGroup: describeBudget("for one customer"),
        },
        {
          description:
            "How many acts of agents are sent to providers; approved ones count too, reads and dry runs do not. A project that " +
            "has set no policy has 200 and 50.",
        },
      ),
    ),
    authorizationServers: Type.Optional(
      Type.Array(Type.String({ maxLength: 2_048 }), {
        maxItems: 20,
        description:
          "Issuers whose tokens agents may use: addresses that begin with `https://`. The endpoint's metadata names them. A token must " +
          "be issued for the endpoint's address, and says in `scope` what it allows: `read`, `write`, `proxy`.",
      }),
    ),
    approvalMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 43_200,
        description: "Minutes after which an approval that nobody has decided expires. Default: 1440.",
      }),
    ),
    customersMayDecide: Type.Optional(
      Type.Boolean({
        description:
          "Whether a customer's token may decide the approvals of its own group, except those that its own consumer asked " +
          "for, and see them without hidden fields. Default: false.",
      }),
    ),
    paused: Type.Optional(
      Type.Boolean({ description: "Whether every tool call of every agent is refused. Default: false." }),
    ),
  },
  { title: "AgentPolicy", description: "What agents may do in the project." },
);

type GivenPolicy = Static<typeof AgentPolicySchema>;
type AgentRule = Static<typeof RuleSchema>;

/** The policy that applies: every member is there. */
export interface AgentPolicy {
  rules: AgentRule[];
  default: Record<ActKind, Decision>;
  hiddenFields: Record<string, string[]>;
  budgets: { writesPerHour?: number; writesPerHourPerGroup?: number };
  authorizationServers: string[];
  approvalMinutes: number;
  customersMayDecide: boolean;
  paused: boolean;
}

/** Decisions of a project that has set none: agents read, ask before they write, and never delete. */
const DEFAULTS: Record<ActKind, Decision> = {
  read: "allow",
  write: "ask",
  delete: "forbid",
  callApiRead: "allow",
  callApiWrite: "forbid",
};
/** Only for a project that has set nothing: a policy without budgets limits nothing. */
const BUDGETS = { writesPerHour: 200, writesPerHourPerGroup: 50 };
const APPROVAL_MINUTES = 1_440;

const checkShape = createValidator(AgentPolicySchema, "body", { query: [], body: [], header: [] });

/** Returns the policy of a document, with defaults. Throws a 400 Problem that names the place of each mistake. */
export function parsePolicy(json: unknown): AgentPolicy {
  // The schema was checked: the type is its.
  const given = checkShape(json) as GivenPolicy;
  const issues = [...listWildcardIssues(given), ...listIssuerIssues(given)];
  if (issues.length === 0) return withDefaults(given);
  const detail = issues.map((issue) => `${issue.name}: ${issue.detail}`).join("; ");
  throw new Problem("invalid-request", { detail, issues });
}

function withDefaults(given: GivenPolicy): AgentPolicy {
  return {
    rules: given.rules ?? [],
    default: { ...DEFAULTS, ...given.default },
    hiddenFields: given.hiddenFields ?? {},
    budgets: given.budgets ?? {},
    authorizationServers: given.authorizationServers ?? [],
    approvalMinutes: given.approvalMinutes ?? APPROVAL_MINUTES,
    customersMayDecide: given.customersMayDecide ?? false,
    paused: given.paused ?? false,
  };
}

/** A rule with `crm-*` would fit nothing, and what it should forbid would be allowed. */
const listWildcardIssues = ({ rules = [], hiddenFields: hidden = {} }: GivenPolicy): Issue[] => [
  ...rules.flatMap((rule, at) =>
    (["integration", "object"] as const).flatMap((member) =>
      checkNamePart(rule[member], `rules[${at}].${member}`),
    ),
  ),
  ...Object.keys(hidden).flatMap((object) => checkNamePart(object, `hiddenFields.${object}`)),
];

const checkNamePart = (value: string | undefined, place: string): Issue[] =>
  value === undefined || value === FITS_ALL || !value.includes(FITS_ALL)
    ? []
    : [
        toIssue(
          place,
          "`*` stands for every name and cannot be part of one. Write a rule for each name.",
          value,
        ),
      ];

const listIssuerIssues = ({ authorizationServers = [] }: GivenPolicy): Issue[] =>
  authorizationServers.flatMap((issuer, at) => {
    const fault = findIssuerFault(issuer);
    return fault === undefined ? [] : [toIssue(`authorizationServers[${at}]`, fault, issuer)];
  });

/** Returns what is wrong with an issuer. RFC 8414, section 2: it is an https address without query or fragment. */
function findIssuerFault(issuer: string): string | undefined {
  const url = URL.parse(issuer);
  if (url?.protocol !== "https:") return "must be an address that begins with `https://`";
  if (url.username !== "" || url.password !== "") return "must have neither name nor password";
  if (/[?#]/.test(issuer)) return "must have neither `?` nor `#`";
  return undefined;
}

const toIssue = (at: string, detail: string, value: string): Issue => ({
  in: "body",
  name: at,
  detail,
  value,
});

/**
 * Returns the policy of a project. It is read each time, so that a pause or a new rule applies to the next call in every
 * process.
 */
export async function loadPolicy(database: Database, projectId: string): Promise<AgentPolicy> {
  return readPolicy(await findAgentPolicy(database.control, projectId));
}

/** Returns the policy that applies, of what is stored. It was checked before it was stored. */
export const readPolicy = (stored: unknown): AgentPolicy =>
  stored === undefined || stored === null
    ? { ...withDefaults({}), budgets: BUDGETS }
    : withDefaults(stored as GivenPolicy);

/** A call of a tool, as far as the policy is concerned. Integrations and objects may have several names. */
export interface Act {
  tool: AgentTool;
  kind: ActKind;
  integration?: string | readonly string[] | undefined;
  object?: string | readonly string[] | undefined;
}

/** Decides about a call: the first rule that fits, or the default of its kind. */
export const decide = (policy: AgentPolicy, act: Act): Decision =>
  decideByRule(policy, act) ?? policy.default[act.kind];

/** Returns the first rule that fits; undefined if none does. */
export function decideByRule(policy: AgentPolicy, act: Act): Decision | undefined {
  const fitting = policy.rules.find(
    ({ tool = FITS_ALL, integration, object }) =>
      (tool === FITS_ALL || tool === act.tool) &&
      fitsNames(integration, act.integration) &&
      fitsNames(object, act.object),
  );
  return fitting?.decision;
}

const fitsNames = (wanted = FITS_ALL, names: string | readonly string[] = []): boolean =>
  wanted === FITS_ALL || [names].flat().some((named) => named.toLowerCase() === wanted.toLowerCase());

/** Returns the fields of an object, given with all its names, that agents must not see: see `splitFieldSteps`. */
export function listHiddenFields(policy: AgentPolicy, objectNames: readonly string[]): Set<string> {
  const names = new Set([FITS_ALL, ...objectNames.map((named) => named.toLowerCase())]);
  const lists = Object.entries(policy.hiddenFields).filter(([object]) => names.has(object.toLowerCase()));
  return new Set(lists.flatMap(([, fields]) => fields.map(nameHidden)));
}

/** Returns a name as sets of hidden fields have it. */
export const nameHidden = (field: string): string => splitFieldSteps(field).join(".");

/**
 * Returns the steps of a name or path in lower case, without entries of lists: `address.city`, `address[0].city` and
 * `$['address']['city']` are the same field.
 */
export function splitFieldSteps(field: string): string[] {
  const path = parseValuePath(field);
  const steps = "steps" in path ? path.steps.filter((step) => typeof step === "string") : [field];
  return steps.flatMap((step) =>
    step
      .toLowerCase()
      .replaceAll(/\[\d+\]/g, ".")
      .split(/[.[\]'"]+/)
      .filter((part) => part !== ""),
  );
}

/** Returns whether a field is hidden: by one of its names, or with the whole that it is a part of (`address` hides `address.city`). */
export const isHidden = (hidden: ReadonlySet<string>, ...names: string[]): boolean =>
  hidden.size > 0 &&
  names.some((named) => listWholes(splitFieldSteps(named)).some((whole) => hidden.has(whole)));

const listWholes = (steps: readonly string[]): string[] =>
  steps.map((_, at) => steps.slice(0, at + 1).join("."));
