/** The browser page beside a run, if one is requested. */
import type { Monitor, MonitorRequest } from '../../monitor/web.ts';
import type { RunObserver } from '../../session/supervision.ts';

/** Rights of a page opened from this program's output: operating requires a token, shown in a terminal or read from a file. */
export function pageHere({ monitor, monitorToken, output }: Asked): 'operates' | 'watches' | 'none' {
  if (!isWanted({ monitor, output })) return 'none';
  return monitorToken !== undefined || process.stdout.isTTY === true ? 'operates' : 'watches';
}

type Asked = Pick<MonitorRequest, 'monitor' | 'monitorToken'> & { readonly output: 'live' | 'quiet' };

function isWanted({ monitor, output }: Asked): boolean {
  return monitor === undefined ? output !== 'quiet' : monitor !== 'off' && monitor !== 'none';
}

/**
 * Serves the page and prints its address. `undefined` if none is requested: `--monitor off`, or a quiet run without `--monitor`. Rejects
 * with `ReinError` if it cannot be served, or would be open to unauthorised users.
 */
export async function openMonitorBeside(
  request: MonitorRequest & { readonly output: 'live' | 'quiet' },
  { print }: Pick<RunObserver, 'print'>,
): Promise<Monitor | undefined> {
  if (!isWanted(request)) return undefined;
  const { openNamedMonitor } = await import('../../monitor/web.ts');
  return openNamedMonitor(request, { print, stream: process.stdout, tokenOption: '--monitor-token FILE' });
}
