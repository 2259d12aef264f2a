/**
 * Prints what a tick of the servo driver leaves on the heap, bytes, on a line that plays recorded replies back, so that no emulator is
 * counted: `servo-tick-garbage.js RECORDING.json`, as `servo-tick-garbage.test.ts` writes it. For `--expose-gc`, and a young
 * generation so large that no collection hides anything.
 */
import { readFileSync } from 'node:fs';
import { dynamixelFamily, feetechFamily } from '../../dist/drivers/serial.js';
import { ServoDriver } from '../../dist/drivers/servo/servo-driver.js';
import { BUS, createRobotState } from '../../dist/rows/index.js';

const WARM_TICKS = 20_000;
const TICKS = 4_800;
const ROUNDS = 3;

const { family, model, options, baud, before, round } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const periodS = 1 / model.controlHz;

/** What comes after each request: first as while the arm was opened, then the same round of ticks again and again. */
class PlayedLine {
  path = '/dev/null';
  baud = baud;
  clock = { nowS: () => this.#nowS[0], monotonicNs: () => 0n, wallMs: () => 0 };
  #nowS = new Float64Array(1);
  #replies = [...before, ...round].map((reply) => Uint8Array.from(reply));
  #next = 0;
  #at = 0;
  #reply = new Uint8Array(0);

  write() {
    this.#reply = this.#replies[this.#next];
    this.#at = 0;
    this.#next = this.#next + 1 < this.#replies.length ? this.#next + 1 : before.length;
    return 'ok';
  }

  read(into, at) {
    const count = Math.min(this.#reply.length - this.#at, into.length - at);
    for (let i = 0; i < count; i++) into[at + i] = this.#reply[this.#at + i];
    this.#at += count;
    return count;
  }

  wait(untilS) {
    if (untilS > this.#nowS[0]) this.#nowS[0] = untilS;
  }

  /** The rest of the control period. */
  nextTick() {
    this.#nowS[0] = Math.max(this.#nowS[0], Math.floor(this.#nowS[0] / periodS + 1) * periodS);
  }

  close() {}
}

const line = new PlayedLine();
const driver = new ServoDriver({
  model,
  family: family === 'feetech' ? feetechFamily : dynamixelFamily,
  options,
  openLine: () => line,
  adapterAt: () => 'EMU0001',
});
const state = createRobotState(model.joints.length, 0);
const reference = state.positionRad.slice();
const said = { ok: 0, other: 0 };

function run(count) {
  for (let i = 0; i < count; i++) {
    line.nextTick();
    const isRead = driver.read(state) === 'ok';
    for (let j = 0; j < reference.length; j++) reference[j] = state.positionRad[j] + 0.01;
    const isWritten = driver.write(reference) === 'ok';
    if (isRead && isWritten) said.ok++;
    else said.other++;
  }
}

await driver.open();
driver.read(state);
driver.torque(1);
run(WARM_TICKS);
// The least of some rounds: what a tick leaves, it leaves in every round; what compiling anew leaves, it does once.
let bytes = Number.POSITIVE_INFINITY;
for (let r = 0; r < ROUNDS; r++) {
  globalThis.gc();
  const heapBytes = process.memoryUsage().heapUsed;
  run(TICKS);
  bytes = Math.min(bytes, process.memoryUsage().heapUsed - heapBytes);
}
const { busCounters, hardwareFaults } = driver.report;
const { requests, replies, timeouts, retries, foreignReplies } = BUS;
const counted = [requests, replies, timeouts, retries, foreignReplies].map((k) => busCounters[k]);
console.log(JSON.stringify({ bytesPerTick: bytes / TICKS, ...said, counted, hardwareFaults }));
