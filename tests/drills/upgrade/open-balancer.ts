/** Chooses among processes as a load balancer does that asks `/readyz`. */
import type { ChildBusbar } from "../../harness/child-busbar.ts";

const ASK_EVERY_MS = 200;

/** Takes turns among the processes (at least one) whose `/readyz` answered 200 when it was asked last. */
export function openBalancer(processes: ChildBusbar[]) {
  const all = [...processes];
  const ready = new Set(processes);
  const unready = new Map<ChildBusbar, number>();
  let turn = 0;
  let withoutReady = 0;
  const ask = async (child: ChildBusbar) => {
    const isReady = await fetch(`${child.origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!all.includes(child)) return;
    if (isReady) return void ready.add(child);
    if (ready.delete(child)) unready.set(child, performance.now());
  };
  const timer = setInterval(() => void Promise.all(all.map(ask)), ASK_EVERY_MS);
  return {
    add: (child: ChildBusbar) => void (all.push(child), ready.add(child)),
    remove(child: ChildBusbar) {
      all.splice(all.indexOf(child), 1);
      ready.delete(child);
    },
    next(): ChildBusbar {
      // Without a ready process, load balancers try all.
      const usable = ready.size > 0 ? all.filter((child) => ready.has(child)) : all;
      if (ready.size === 0) withoutReady += 1;
      const picked = usable[turn++ % usable.length];
      if (!picked) throw new Error("there is no process");
      return picked;
    },
    withoutReady: () => withoutReady,
    unreadySinceMs: (child: ChildBusbar) => unready.get(child),
    close: () => clearInterval(timer),
  };
}
