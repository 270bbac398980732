/** Measures processor time, which says how much work something is also on a busy machine. */

/** Returns the milliseconds of processor time that this process used until `work` was done. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
