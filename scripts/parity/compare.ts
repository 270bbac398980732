/** Compares our API description with a public one and lists every difference. */
import type { Content, Document, Operation, Parameter } from "./document.ts";
import { listMembers, type Member, type Members } from "./members.ts";

/** One line: `operation | where | what`. Explanations are matched against it. */
export type Difference = string;

/** Returns every difference in the order of the operations; differences of error bodies once for all operations. */
export function compare(ours: Document, theirs: Document): Difference[] {
  const names = new Set([...theirs.operations.keys(), ...ours.operations.keys()]);
  const differences = [...names].flatMap((name) => {
    const own = ours.operations.get(name);
    const other = theirs.operations.get(name);
    if (!own) return [`${name} | operation | missing`];
    if (!other) return [`${name} | operation | ours only`];
    const lines = [
      ...compareParameters(ours, own, theirs, other),
      ...compareRequests(ours, own, theirs, other),
      ...compareResponses(ours, own, theirs, other),
    ];
    return [...new Set(lines)].map((line) => (line.startsWith(REFUSAL) ? line : `${name} | ${line}`));
  });
  return [...new Set(differences)];
}

/** Problems have the same shape everywhere, so their members are reported once instead of for each status. */
const REFUSAL = "refusals | ";

function compareParameters(ours: Document, own: Operation, theirs: Document, other: Operation): string[] {
  // The place of a path parameter says which it is; its name does not matter.
  const key = ({ place, name }: Parameter) => `${place} ${place === "header" ? name.toLowerCase() : name}`;
  const relevant = (operation: Operation) => operation.parameters.filter(({ place }) => place !== "path");
  const mine = new Map(relevant(own).map((parameter) => [key(parameter), parameter]));
  const yours = new Map(relevant(other).map((parameter) => [key(parameter), parameter]));
  return [...new Set([...yours.keys(), ...mine.keys()])].flatMap((name) => {
    const [left, right] = [mine.get(name), yours.get(name)];
    if (!left) return [`${name} | missing`];
    if (!right) return [`${name} | ours only`];
    const shape = (document: Document, { schema, required }: Parameter): Members =>
      new Map(
        [...listMembers(document.root, schema)].map(([path, member]) => [
          path,
          path ? member : { ...member, required },
        ]),
      );
    return compareMembers(shape(ours, left), shape(theirs, right), name, "sent");
  });
}

function compareRequests(ours: Document, own: Operation, theirs: Document, other: Operation): string[] {
  if (!own.request && !other.request) return [];
  if (!own.request) return ["body | missing"];
  if (!other.request) return ["body | ours only"];
  const optional = own.request.required && !other.request.required ? ["body | required here"] : [];
  const [left, right] = [own.request.content[0], other.request.content[0]];
  if (!left || !right) return optional;
  return [...optional, ...compareContent(ours, left, theirs, right, "body", "sent")];
}

function compareResponses(ours: Document, own: Operation, theirs: Document, other: Operation): string[] {
  const statuses = new Set([...other.responses.keys(), ...own.responses.keys()]);
  return [...statuses].flatMap((status) => {
    const [left, right] = [own.responses.get(status), other.responses.get(status)];
    if (!left) return [`status ${status} | missing`];
    if (!right) return [`status ${status} | ours only`];
    const isRefusal = !status.startsWith("2");
    return compareAnswers(ours, left, theirs, right, isRefusal ? `${REFUSAL}body` : `answer ${status}`);
  });
}

function compareAnswers(
  ours: Document,
  mine: Content[],
  theirs: Document,
  yours: Content[],
  where: string,
): string[] {
  if (yours.length === 0) return mine.length === 0 ? [] : [`${where} | ours has a body`];
  if (mine.length === 0) return [`${where} | ours has no body`];
  return yours.flatMap((right) => {
    const left = mine.find(({ media }) => media === right.media);
    const media = left
      ? []
      : [`${where} | ${right.media} is ${mine.map((one) => one.media).join(", ")} here`];
    const [first] = mine;
    const shown = left ?? first;
    return shown ? [...media, ...compareContent(ours, shown, theirs, right, where, "answered")] : media;
  });
}

type Direction = "sent" | "answered";

const compareContent = (
  ours: Document,
  mine: Content,
  theirs: Document,
  yours: Content,
  where: string,
  direction: Direction,
): string[] =>
  compareMembers(
    listMembers(ours.root, mine.schema),
    listMembers(theirs.root, yours.schema),
    where,
    direction,
  );

function compareMembers(mine: Members, yours: Members, where: string, direction: Direction): string[] {
  const paths = [...new Set([...yours.keys(), ...mine.keys()])];
  // The members below a missing member are not reported again.
  const reported: string[] = [];
  return paths.flatMap((path) => {
    if (reported.some((above) => isBelow(path, above))) return [];
    const [left, right] = [mine.get(path), yours.get(path)];
    const line = path === "" ? where : `${where} ${path}`;
    if (!left || !right) {
      reported.push(path);
      const parent = (left ? yours : mine).get(findParent(path));
      // A schema that accepts any member accepts this one too.
      if (parent?.open) return [`${line} | ${left ? "named by ours only" : "not named by ours"}`];
      return [`${line} | ${left ? "ours only" : "missing"}`];
    }
    return compareMember(left, right, direction).map((what) => `${line} | ${what}`);
  });
}

function compareMember(mine: Member, yours: Member, direction: Direction): string[] {
  const lines: string[] = [];
  if (mine.required && !yours.required && direction === "sent") lines.push("required here");
  if (!mine.required && yours.required)
    lines.push(direction === "sent" ? "optional here" : "not always there");
  const types = (member: Member) =>
    member.types.map((type) => (type === "integer" ? "number" : type)).join(" or ");
  if (types(mine) !== types(yours) && mine.types.length + yours.types.length > 0) {
    lines.push(`${types(yours) || "anything"} is ${types(mine) || "anything"} here`);
  }
  return [...lines, ...compareValues(mine.values, yours.values)];
}

function compareValues(mine: string[] | undefined, yours: string[] | undefined): string[] {
  if (!mine && !yours) return [];
  if (!mine) return [`any text, not only ${join(yours ?? [])}`];
  if (!yours) return [`only ${join(mine)}`];
  const lacking = yours.filter((value) => !mine.includes(value));
  const further = mine.filter((value) => !yours.includes(value));
  return [
    ...(lacking.length > 0 ? [`without ${join(lacking)}`] : []),
    ...(further.length > 0 ? [`also ${join(further)}`] : []),
  ];
}

const join = (values: string[]): string => values.join(", ");
const isBelow = (path: string, above: string): boolean =>
  path.startsWith(above) && /^[.[{]/.test(path.slice(above.length));
const findParent = (path: string): string => path.replace(/(\.?[^.[\]{}]+|\[\]|\{\})$/, "");
