/**
 * The node as a program: one argument with its settings, a channel to the process that started it. Ends on SIGTERM, and
 * when its parent is gone; Ctrl+C is the parent's to handle.
 */
import { PassThrough } from 'node:stream';
import { createSetup, loadResolvedConfig } from '../../config/index.ts';
import { SystemClock } from '../../core/index.ts';
import { KeyboardTeleop } from '../../teleop/index.ts';
import { runLiveNode } from './live-node.ts';
import type { LiveNodeConfig, LiveNodeMessage, ToNodeMessage } from './messages.ts';
import { endFailed, tellParent } from './parent-channel.ts';

const tell: (message: LiveNodeMessage) => Promise<void> = tellParent;

async function main(): Promise<void> {
  const config = JSON.parse(process.argv[2] ?? '{}') as LiveNodeConfig;
  const ending = new AbortController();
  const end = (): void => ending.abort();
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', end);
  process.on('disconnect', end);
  const { durationS, startedAtS } = config;
  const leftS = durationS === undefined ? undefined : startedAtS + durationS - new SystemClock().nowS();
  const timer = leftS === undefined ? undefined : setTimeout(end, Math.max(0, 1e3 * leftS));
  const print = (line: string): void => void tell({ kind: 'print', line });
  try {
    await runLiveNode({
      config,
      setup: createSetup(loadResolvedConfig(config.configFile)),
      observer: { status: (status) => void tell({ kind: 'status', status }), print },
      signal: ending.signal,
      createKeyboard: (setup, heard) =>
        new KeyboardTeleop({
          ...heard,
          onExpired: () => print('Nothing was pressed for 30 s: the policy drives again.'),
          input: keysFromParent(),
          clock: new SystemClock(),
          action: setup.task.action,
          onHelp: print,
        }),
    });
  } finally {
    clearTimeout(timer);
  }
  if (process.connected) process.disconnect();
}

/** The terminal belongs to the process that started this one, which hands on what is typed. */
function keysFromParent(): PassThrough {
  const keys = new PassThrough();
  process.on('message', (message: ToNodeMessage) => {
    if (message.kind === 'keys') keys.write(Buffer.from(message.bytes, 'base64'));
    else if (message.kind === 'keysLost') keys.end();
  });
  return keys;
}

main().catch(endFailed);
