/** Shares what one process may hold between projects, so that a project with slow receivers leaves capacity for all others. */
import { elapsedMs } from "../../ground/clock.ts";
import { computeTakeable } from "../jobs/fair-share.ts";

/** Messages that one process has in memory, sent or queued. A large message counts as several. */
const CAPACITY = 4_096;
/** A project may hold this many times what is free: three quarters of the capacity when it is alone, less beside others. */
const TIMES_FREE = 3;
/** Messages that slow receivers hold together, divided by the projects that have some and then by receiver. */
const SLOW_CAPACITY = CAPACITY / 2;
/** A full project takes more when it has capacity for this many again: claims for single messages would waste statements. */
const REFILL = 64;
/** While less is free, every message that ends may be what others wait for. */
const LOW_CAPACITY = 64;
/** A lane or project that is full for longer has slow receivers: routing does not wait for it. */
export const FULL_MS = 50;

interface ProjectCapacity {
  size: number;
  slowLanes: number;
  /** When the project had taken its share. */
  fullMs: number | undefined;
}

export class DeliveryCapacity {
  readonly #projects = new Map<string, ProjectCapacity>();
  readonly #onSpace: () => void;
  #free = CAPACITY;
  #slowProjects = 0;

  /** `onSpace` is called when a project that was full takes more, and often while little is free. */
  constructor(onSpace: () => void) {
    this.#onSpace = onSpace;
  }

  get free(): number {
    return Math.max(0, this.#free);
  }

  /** Returns how much more a project may hold: 0 from when it has taken its share until there is capacity for some more. */
  left(projectId: string): number {
    const project = this.#projects.get(projectId);
    return project ? this.#left(project) : computeTakeable({ own: 0, free: this.free, times: TIMES_FREE });
  }

  /** Lists the projects that take nothing more now. */
  fullProjects(): string[] {
    return [...this.#projects].filter(([, project]) => this.#left(project) === 0).map(([id]) => id);
  }

  /** Whether a project has become full just now: with fast receivers it will soon have capacity. */
  get isJustFull(): boolean {
    const nowMs = elapsedMs();
    return [...this.#projects.values()].some(
      (project) => this.#left(project) === 0 && nowMs - (project.fullMs ?? nowMs) < FULL_MS,
    );
  }

  take(projectId: string, cost: number): void {
    this.#project(projectId).size += cost;
    this.#free -= cost;
  }

  give(projectId: string, cost: number): void {
    const project = this.#project(projectId);
    const wasFull = project.fullMs !== undefined;
    project.size -= cost;
    this.#free += cost;
    const hasSpace = wasFull && this.#left(project) > 0;
    this.#forget(projectId, project);
    if (hasSpace || this.#free < LOW_CAPACITY) this.#onSpace();
  }

  /** Counts a lane of the project as slow, or no longer. */
  countSlow(projectId: string, change: 1 | -1): void {
    const project = this.#project(projectId);
    if (project.slowLanes === 0) this.#slowProjects += 1;
    project.slowLanes += change;
    if (project.slowLanes === 0) this.#slowProjects -= 1;
    this.#forget(projectId, project);
  }

  /** Returns how much each slow lane of the project may hold. */
  slowWidth(projectId: string): number {
    const lanes = this.#project(projectId).slowLanes;
    return Math.max(1, Math.floor(SLOW_CAPACITY / Math.max(1, this.#slowProjects) / Math.max(1, lanes)));
  }

  #left(project: ProjectCapacity): number {
    const left = computeTakeable({ own: project.size, free: this.free, times: TIMES_FREE });
    const least = project.fullMs === undefined ? 1 : Math.min(REFILL, Math.max(1, this.free / 2));
    if (left < least) {
      project.fullMs ??= elapsedMs();
      return 0;
    }
    project.fullMs = undefined;
    return left;
  }

  #project(id: string): ProjectCapacity {
    const project = this.#projects.get(id) ?? { size: 0, slowLanes: 0, fullMs: undefined };
    this.#projects.set(id, project);
    return project;
  }

  #forget(id: string, { size, slowLanes }: ProjectCapacity): void {
    if (size === 0 && slowLanes === 0) this.#projects.delete(id);
  }
}
