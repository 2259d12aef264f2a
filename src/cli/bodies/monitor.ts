/** The page for browsers beside a run, where one is wanted. */
import type { Monitor, MonitorRequest } from '../../monitor/web.ts';
import type { RunObserver } from '../../session/supervision.ts';

/**
 * Serves it, and says where. `undefined` where none is wanted: `--monitor off`, or a quiet run that asks for none. Rejects with `ReinError` where
 * it cannot be there, or strangers could use it.
 */
export async function openMonitorBeside(
  request: MonitorRequest & { readonly output: 'live' | 'quiet' },
  { print }: Pick<RunObserver, 'print'>,
): Promise<Monitor | undefined> {
  if (request.monitor === 'off' || (request.monitor === undefined && request.output === 'quiet')) return undefined;
  const { openNamedMonitor } = await import('../../monitor/web.ts');
  return openNamedMonitor(request, { print, stream: process.stdout, tokenOption: '--monitor-token FILE' });
}
