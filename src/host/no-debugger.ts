/** No debugger in a process that can move or stop a robot. */

/**
 * Ignores SIGUSR1, on which Node would open its inspector to any client of the port; `report` is called each time instead.
 * Call it first. The equivalent flag (`--disable-sigusr1`) exists in newer versions of Node only.
 */
export function refuseDebugger(report: () => void = () => undefined): void {
  process.on('SIGUSR1', report);
}
