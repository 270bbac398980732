/** The account of a customer at a simulated provider, and what happens to its records during the drill. */
import type { Sandbox } from "../../../sandbox/sandbox.ts";
import type { Version } from "./mirror.ts";

export interface DrilledObject {
  provider: "hubspot" | "salesforce";
  object: string;
  /** The field that changes. */
  field: string;
  /** The path of its messages at the mirror. */
  path: string;
}

export const OBJECTS: DrilledObject[] = [
  { provider: "hubspot", object: "contacts", field: "lastname", path: "/hubspot/contacts" },
  { provider: "salesforce", object: "Contact", field: "LastName", path: "/salesforce/contact" },
];

/** How far a change may be stamped before it becomes visible; well below the overlap of reading. */
const BACK_MS = 60_000;

export class CustomerAccount {
  readonly #sandbox: Sandbox;
  readonly #drilled: DrilledObject;
  readonly #ids: string[] = [];
  readonly #archived: string[] = [];
  /** Merged into others. */
  readonly #gone = new Set<string>();
  /** Records that the drill has stamped. A provider never stamps a change of a record before an earlier one of the same. */
  readonly #stamped = new Set<string>();
  readonly counts = { changed: 0, created: 0, archived: 0, restored: 0, backDated: 0, merged: 0 };
  #serial = 0;

  constructor(sandbox: Sandbox, drilled: DrilledObject) {
    this.#sandbox = sandbox;
    this.#drilled = drilled;
  }

  get #account() {
    return this.#sandbox[this.#drilled.provider].account;
  }

  /** Fills the account; half of the records share one time of change. */
  fill(records: number): void {
    const { object, field } = this.#drilled;
    const half = Math.floor(records / 2);
    const lastWeek = Date.now() - 7 * 86_400_000;
    const same = { changedFrom: lastWeek, changedTo: lastWeek };
    this.#account.generate(object, { count: half, ...same, values: { [field]: "Same {n}" } });
    const spread = { changedFrom: lastWeek, changedTo: Date.now() - 3_600_000 };
    this.#account.generate(object, { count: records - half, ...spread, values: { [field]: "Spread {n}" } });
    for (const { id } of this.#account.dump(object, false)) this.#ids.push(String(id));
  }

  /** Creates records one by one, as an app does. */
  create(records: number): void {
    const { object, field } = this.#drilled;
    for (let nth = 0; nth < records; nth += 1) this.#create(object, { [field]: `New ${nth}` });
  }

  /** Makes some changes, a part of them with an earlier time stamp. */
  stir(): void {
    for (let step = 0; step < 8; step += 1) this.change({ backDates: true });
  }

  /** How many changes were made. */
  get made(): number {
    const { changed, created, archived, restored, merged } = this.counts;
    return changed + created + archived + restored + merged;
  }

  /** Changes a record, or creates, archives, restores or merges one; only the `newest` records, if that is given. */
  change({ backDates = false, merges = false, newest = Infinity } = {}): void {
    const { object, field } = this.#drilled;
    const id = this.#any(newest);
    this.#serial += 1;
    const values = { [field]: `Changed ${this.#serial}` };
    const isBackDated = backDates && id !== undefined && !this.#stamped.has(id) && Math.random() < 0.1;
    const changedAt = Date.now() - (isBackDated ? Math.random() * BACK_MS : 0);
    const dice = Math.random();
    if (dice < 0.1) this.#create(object, values);
    else if (dice < 0.15 && id) this.#archive(object, id);
    else if (dice < 0.2) this.#restore(object, values);
    else if (merges && dice < 0.22 && id) this.#merge(object, id, this.#any(newest));
    else if (id && !this.#archived.includes(id) && !this.#gone.has(id)) {
      this.#account.put(object, { id, values, changedAt, stamp: true });
      this.#stamped.add(id);
      this.counts.changed += 1;
      if (isBackDated) this.counts.backDated += 1;
    }
  }

  #create(object: string, values: Record<string, string>): void {
    const id = this.#account.put(object, { values, stamp: true });
    this.#ids.push(id);
    this.#stamped.add(id);
    this.counts.created += 1;
  }

  #archive(object: string, id: string): void {
    if (this.#archived.includes(id) || this.#gone.has(id)) return;
    this.#account.archive(object, id);
    this.#archived.push(id);
    this.counts.archived += 1;
  }

  /** A restored record is changed as well: not every provider stamps a restore. */
  #restore(object: string, values: Record<string, string>): void {
    const id = this.#archived.shift();
    if (!id) return;
    this.#account.restore(object, id);
    this.#account.put(object, { id, values, stamp: true });
    this.#stamped.add(id);
    this.counts.restored += 1;
  }

  /** The other record is gone; it is not restored. */
  #merge(object: string, id: string, other: string | undefined): void {
    if (!other || other === id || this.#gone.has(id) || this.#gone.has(other)) return;
    if (this.#archived.includes(id) || this.#archived.includes(other)) return;
    this.#account.merge(object, id, [other]);
    this.#gone.add(other);
    this.counts.merged += 1;
  }

  #any(newest: number): string | undefined {
    const first = Math.max(0, this.#ids.length - newest);
    return this.#ids[first + Math.floor(Math.random() * (this.#ids.length - first))];
  }

  /** Returns how the copy differs from the account. `onlyOwn`: records that were there before are left out. */
  differences(copy: Map<string, Version> | undefined, { onlyOwn = false } = {}): string[] {
    const { object, field, path } = this.#drilled;
    const found: string[] = [];
    const expected = new Set<string>();
    const own = new Set(this.#ids);
    for (const record of this.#account.dump(object, false)) {
      const id = String(record["id"]);
      if (onlyOwn && !own.has(id)) continue;
      expected.add(id);
      const value = (record["values"] as Record<string, unknown>)[field] ?? null;
      const fields = copy?.get(id)?.fields;
      const copied = fields === undefined ? undefined : (JSON.parse(fields)[field.toLowerCase()] ?? null);
      if (copied !== value) found.push(`${path} ${id}: ${String(value)} is ${String(copied)} in the copy`);
    }
    for (const [id, { fields }] of copy ?? [])
      if (fields !== undefined && !expected.has(id) && (!onlyOwn || own.has(id)))
        found.push(`${path} ${id}: deleted, and still in the copy`);
    return found;
  }
}
