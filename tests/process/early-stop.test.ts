/** A page of an earlier run is there before the next one listens: its Stop is not for nothing. */
import { expect, it } from 'vitest';
import type * as Web from '../../src/monitor/web/monitor.ts';
import type { PersonRequest } from '../../src/session/person-request.ts';
import { StreamWatcher } from '../support/browser.ts';
import { until } from '../support/until.ts';

const { openMonitor } = (await import(
  new URL('../../dist/monitor/web/monitor.js', import.meta.url).href
)) as typeof Web;

it('hands on a stop that was said before the run asked for requests, and nothing else', async () => {
  const monitor = (await openMonitor({ monitor: '127.0.0.1:0' }, () => undefined))!;
  const page = new StreamWatcher(monitor.address);
  try {
    await until(() => page.all('operators').length > 0, 'a page that is let in');
    for (const kind of ['sit', 'start', 'stop', 'fly']) page.ask({ kind });
    await until(
      () => page.all('notice').some(({ line }) => String(line).includes('Unknown request')),
      'the last answer',
    );
    const asked: PersonRequest[] = [];
    monitor.asks((request) => asked.push(request));
    await until(() => asked.length > 0, 'the stop');
    expect(asked).toEqual([{ kind: 'stop' }]);
  } finally {
    page.close();
    await monitor.close();
  }
});
