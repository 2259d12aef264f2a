/** The page for browsers beside a run, where one is wanted. */
import type { Monitor, MonitorRequest } from '../../monitor/web.ts';
import type { RunObserver } from '../../session/supervision.ts';

/** What a page may do for whoever looks at the output of this program: operate by the token that a terminal shows, or by one in a file. */
export function pageHere({ monitor, monitorToken, output }: Asked): 'operates' | 'watches' | 'none' {
  if (!isWanted({ monitor, output })) return 'none';
  return monitorToken !== undefined || process.stdout.isTTY === true ? 'operates' : 'watches';
}

type Asked = Pick<MonitorRequest, 'monitor' | 'monitorToken'> & { readonly output: 'live' | 'quiet' };

function isWanted({ monitor, output }: Asked): boolean {
  return monitor === undefined ? output !== 'quiet' : monitor !== 'off' && monitor !== 'none';
}

/**
 * Serves it, and says where. `undefined` where none is wanted: `--monitor off`, or a quiet run that asks for none. Rejects with `ReinError` where
 * it cannot be there, or strangers could use it.
 */
export async function openMonitorBeside(
  request: MonitorRequest & { readonly output: 'live' | 'quiet' },
  { print }: Pick<RunObserver, 'print'>,
): Promise<Monitor | undefined> {
  if (!isWanted(request)) return undefined;
  const { openNamedMonitor } = await import('../../monitor/web.ts');
  return openNamedMonitor(request, { print, stream: process.stdout, tokenOption: '--monitor-token FILE' });
}
