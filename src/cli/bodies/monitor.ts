/** The page for browsers beside a run, where one is wanted. */
import type { Monitor, MonitorRequest } from '../../monitor/web.ts';
import type { RunObserver } from '../../session/supervision.ts';

const WATCH_ONLY = ' (to watch and to stop; --monitor-token FILE lets a page operate where there is no terminal)';

/**
 * Serves it, and says where as soon as the run has something to show: one that is refused names no page. `undefined` where none is wanted:
 * `--monitor off`, or a quiet run that asks for none. Rejects with `ReinError` where it cannot be there, or strangers could use it.
 */
export async function openMonitorBeside(
  request: MonitorRequest & { readonly output: 'live' | 'quiet' },
  { print }: Pick<RunObserver, 'print'>,
): Promise<Monitor | undefined> {
  if (request.monitor === 'off' || (request.monitor === undefined && request.output === 'quiet')) return undefined;
  const { openMonitor } = await import('../../monitor/web.ts');
  const monitor = await openMonitor(request, print);
  if (monitor === undefined) return undefined;
  let isSaid = false;
  const say = (): void => {
    if (isSaid) return;
    isSaid = true;
    const { address, secretAddress } = monitor;
    // A token is for the eyes of whoever sits here: where output goes into a file, it stays out.
    if (process.stdout.isTTY) print(`monitor: ${secretAddress}`);
    else
      print(`monitor: ${address}${address === secretAddress || request.monitorToken !== undefined ? '' : WATCH_ONLY}`);
  };
  return {
    ...monitor,
    packet: (packet) => {
      say();
      monitor.packet(packet);
    },
    asks: (to) => {
      say();
      monitor.asks(to);
    },
  };
}
