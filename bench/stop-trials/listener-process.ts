/**
 * Listens to a bus, and does nothing else: `listener-process.js BUS`. Every frame is sent to the parent with its time of arrival
 * (CLOCK_MONOTONIC, ms). It also reports when it was held up itself: its times are then late, through no fault of the robot.
 */
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { MockBusReader } from '../../src/drivers/mock/mock-bus.ts';
import { raiseThisThread } from '../../src/guard/priority.ts';
import { HELD_UP_MS, type ListenerMessage, nowMs } from './listener-messages.ts';

const TICK_MS = 2;

const { isRaised } = raiseThisThread();
// Opened for both directions, so that it ends neither with the guard nor with the guardian.
const bus = new Socket({
  fd: openSync(process.argv[2] ?? '', constants.O_RDWR | constants.O_NONBLOCK),
  writable: false,
});
let atMs = 0;
const reader = new MockBusReader((kind, _count, values) => {
  report({ kind: 'frame', frame: { kind, atMs, valuesRad: [...values] } });
});
bus.on('data', (bytes) => {
  atMs = nowMs();
  reader.push(bytes);
});
let tickedAtMs = nowMs();
setInterval(() => {
  const fromMs = tickedAtMs;
  tickedAtMs = nowMs();
  if (tickedAtMs - fromMs > TICK_MS + HELD_UP_MS) report({ kind: 'heldUp', fromMs, toMs: tickedAtMs });
}, TICK_MS);
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => undefined);
report({ kind: 'ready', isRaised });

function report(message: ListenerMessage): void {
  process.send?.(message);
}
