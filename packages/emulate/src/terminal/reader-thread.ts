/** Thread that only waits for bytes at a pseudo-terminal: a blocking read costs nothing while the host is silent. */
import { readSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { SystemClock } from '../../../../src/model/index.ts';
import { Inbox } from './inbox.ts';

const { masterFd, memory } = workerData as { readonly masterFd: number; readonly memory: SharedArrayBuffer };
const inbox = new Inbox(memory);
const clock = new SystemClock();
inbox.up();
try {
  while (!inbox.isStopped) {
    const got = readSync(masterFd, inbox.room(), 0, 4096, null);
    if (inbox.isStopped) break;
    inbox.put(got, clock.nowS());
  }
} finally {
  inbox.done();
}
