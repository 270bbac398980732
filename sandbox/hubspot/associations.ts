// Links between records, stored in both directions.

import { asData, asList, asText, isData } from "../exchange.ts";
import { refuseInvalid } from "./errors.ts";
import { listTypes } from "./association-types.ts";

export type Link = { category: string; typeId: number };
type Linked = { toId: string; links: Link[] };

/** Records of one type with consecutive ids. */
type IdRun = { type: string; first: number; count: number };

/** Links every record of `from` to one of `to`, round-robin. */
type Rule = { from: IdRun; to: IdRun; link: Link };

type OnLink = (fromType: string, fromId: string, toType: string, toId: string, removed: boolean) => void;

export class Associations {
  readonly #rules: Rule[] = [];
  /** Removed links of rules, in both directions. */
  readonly #unlinked = new Set<string>();
  readonly #links = new Map<string, Map<string, Link[]>>();
  /** User-defined labels, by pair. */
  readonly #labels = new Map<string, { category: string; typeId: number; label: string }[]>();
  readonly #onLink: OnLink;
  #nextLabel = 100;

  /** `onLink` is called once for each direction. */
  constructor(onLink: OnLink) {
    this.#onLink = onLink;
  }

  add(fromType: string, fromId: string, toType: string, toId: string, links: Link[]): void {
    this.#onLink(fromType, fromId, toType, toId, false);
    this.#onLink(toType, toId, fromType, fromId, false);
    this.#put(fromType, fromId, toType, toId, links);
    this.#put(
      toType,
      toId,
      fromType,
      fromId,
      links.map((link) => findInverse(fromType, toType, link)),
    );
  }

  list(fromType: string, fromId: string, toType: string): Linked[] {
    const found = this.#links.get(buildKey(fromType, fromId, toType)) ?? new Map<string, Link[]>();
    const stored = [...found].map(([toId, links]) => ({ toId, links }));
    const computed = this.#rules.flatMap((rule) => this.#computed(rule, fromType, fromId, toType));
    return [...computed.filter(({ toId }) => !found.has(toId)), ...stored];
  }

  /** Adds links that are computed when they are read. */
  generate(from: IdRun, to: IdRun): void {
    this.#rules.push({ from, to, link: this.defaultLink(from.type, to.type) });
  }

  #computed({ from, to, link }: Rule, fromType: string, fromId: string, toType: string): Linked[] {
    const targets: number[] = [];
    let links = [link];
    if (from.type === fromType && to.type === toType) {
      const index = findIndex(from, fromId);
      if (index !== undefined) targets.push(to.first + (index % to.count));
    } else if (to.type === fromType && from.type === toType) {
      links = [findInverse(from.type, to.type, link)];
      const index = findIndex(to, fromId) ?? from.count;
      for (let i = index; i < from.count; i += to.count) targets.push(from.first + i);
    }
    return targets
      .map((target) => ({ toId: String(target), links }))
      .filter(({ toId }) => !this.#unlinked.has(`${buildKey(fromType, fromId, toType)}/${toId}`));
  }

  remove(fromType: string, fromId: string, toType: string, toId: string): void {
    this.#onLink(fromType, fromId, toType, toId, true);
    this.#onLink(toType, toId, fromType, fromId, true);
    if (this.#rules.length > 0) {
      this.#unlinked.add(`${buildKey(fromType, fromId, toType)}/${toId}`);
      this.#unlinked.add(`${buildKey(toType, toId, fromType)}/${fromId}`);
    }
    this.#links.get(buildKey(fromType, fromId, toType))?.delete(toId);
    this.#links.get(buildKey(toType, toId, fromType))?.delete(fromId);
  }

  labels(fromType: string, toType: string): { category: string; typeId: number; label: string | null }[] {
    const defined = listTypes(fromType, toType).map((type) => ({
      category: "HUBSPOT_DEFINED",
      typeId: type.id,
      label: type.label,
    }));
    return [...defined, ...(this.#labels.get(`${fromType}>${toType}`) ?? [])];
  }

  addLabel(
    fromType: string,
    toType: string,
    label: string,
  ): { category: string; typeId: number; label: string } {
    const made = { category: "USER_DEFINED", typeId: this.#nextLabel++, label };
    const pair = `${fromType}>${toType}`;
    this.#labels.set(pair, [...(this.#labels.get(pair) ?? []), made]);
    return made;
  }

  /** Returns the default type. Pairs outside the table get a type of their own. */
  defaultLink(fromType: string, toType: string): Link {
    const type = listTypes(fromType, toType).find((candidate) => candidate.unlabeled);
    return { category: "HUBSPOT_DEFINED", typeId: type?.id ?? 1 };
  }

  /**
   * Reads `[{associationCategory, associationTypeId}]`; returns undefined if one of them does not fit the direction.
   */
  linksFrom(input: unknown, fromType: string, toType: string): Link[] | undefined {
    const links: Link[] = [];
    for (const item of asList(input)) {
      const category = asText(asData(item)["associationCategory"]) ?? "";
      const typeId = Number(asData(item)["associationTypeId"]);
      if (!isData(item) || !Number.isInteger(typeId) || !CATEGORIES.has(category)) return undefined;
      const known = this.labels(fromType, toType);
      const fits =
        known.length === 0 || known.some((label) => label.typeId === typeId && label.category === category);
      if (!fits) return undefined;
      links.push({ category, typeId });
    }
    return links.length === 0 ? undefined : links;
  }

  #put(fromType: string, fromId: string, toType: string, toId: string, links: Link[]): void {
    const at = buildKey(fromType, fromId, toType);
    const targets = this.#links.get(at) ?? new Map<string, Link[]>();
    const present = targets.get(toId) ?? [];
    const added = links.filter((link) => !present.some((other) => other.typeId === link.typeId));
    targets.set(toId, [...present, ...added]);
    this.#links.set(at, targets);
  }
}

/** Returns the opaque cursor of a source with more targets. */
export function toOffsetCursor(start: number): string {
  return Buffer.from(`${start}\n`).toString("base64");
}

export function readCursor(after: string | undefined): number {
  if (after === undefined) return 0;
  const [, start] = /^(\d+)\n?$/.exec(Buffer.from(after, "base64").toString("latin1")) ?? [];
  if (start === undefined) throw refuseInvalid(`The paging cursor "${after}" is not valid`);
  return Number(start);
}

function findIndex(run: IdRun, id: string): number | undefined {
  const index = Number(id) - run.first;
  return index >= 0 && index < run.count ? index : undefined;
}

const CATEGORIES = new Set(["HUBSPOT_DEFINED", "USER_DEFINED", "INTEGRATOR_DEFINED", "WORK"]);

function buildKey(fromType: string, fromId: string, toType: string): string {
  return `${fromType}/${fromId}>${toType}`;
}

function findInverse(fromType: string, toType: string, link: Link): Link {
  const type = listTypes(fromType, toType).find((candidate) => candidate.id === link.typeId);
  return { category: link.category, typeId: type?.inverse ?? link.typeId };
}
