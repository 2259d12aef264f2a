/** What a tick of an arm of bus servos leaves on the heap in the driver: next to nothing, as all that the guard's tick calls. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { dynamixelFamily, feetechFamily } from '../../src/drivers/serial.ts';
import type { Vec } from '../../src/model/index.ts';
import { createRobotState } from '../../src/rows/index.ts';
import { servoOptionsOf, servoRig } from '../support/emulated-servos.ts';

const script = fileURLToPath(new URL('../support/servo-tick-garbage.js', import.meta.url));
/** As the guard runs, on one thread. */
const FLAGS = ['--single-threaded', '--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];
/** Up to five numbers, by how V8 compiled it, are boxed on their way, 16 each; one for each of six servos is seen. */
const MOST_BYTES = 90;
/** Two slow blocks of each of six servos, one a tick. */
const ROUND_TICKS = 12;
const SWING_RAD = 0.05;

it.each([
  ['so101', feetechFamily],
  ['koch', dynamixelFamily],
] as const)('reads, supervises and writes %s without garbage', async (robot, family) => {
  const rig = servoRig({ robot, family });
  const { driver, line } = rig;
  // One entry for each request: the bytes that came until the next.
  const replies: number[][] = [];
  const write = line.write.bind(line);
  const read = line.read.bind(line);
  line.write = (bytes, length) => {
    replies.push([]);
    return write(bytes, length);
  };
  line.read = (into, at) => {
    const count = read(into, at);
    if (count > 0) replies.at(-1)!.push(...into.subarray(at, at + count));
    return count;
  };
  const path = join(tmpdir(), `rein-recording-${process.pid}-${robot}.json`);
  try {
    const state = createRobotState(6, 0);
    await driver.open();
    driver.read(state);
    driver.torque(1);
    const startRad = Float64Array.from(state.positionRad);
    const referenceRad = state.positionRad.slice() as Vec<'rad'>;
    let tick = 0;
    const ticks = (count: number): void => {
      for (let i = 0; i < count; i++) {
        rig.endOfTick();
        driver.read(state);
        // In motion: 0 takes no place on the heap, and other numbers may.
        for (let j = 0; j < 6; j++) referenceRad[j] = startRad[j]! + SWING_RAD * Math.sin(tick / 4 + j);
        tick++;
        driver.write(referenceRad);
      }
    };
    ticks(2 * ROUND_TICKS);
    const before = replies.splice(0);
    ticks(ROUND_TICKS);
    const { driver: _, ...model } = rig.robot;
    const options = { ...servoOptionsOf(rig.robot), calibration: rig.calibration };
    writeFileSync(
      path,
      JSON.stringify({ family: family.name, model, options, baud: line.baud, before, round: replies }),
    );
    const output = execFileSync(process.execPath, [...FLAGS, script, path], { encoding: 'utf8' });
    const { bytesPerTick, other, counted, hardwareFaults } = JSON.parse(output);
    // What was played is what was asked for: nothing was missed, asked again or foreign.
    const [requests, answered, ...wrong] = counted;
    expect({ other, hardwareFaults, wrong }).toEqual({ other: 0, hardwareFaults: 0, wrong: [0, 0, 0] });
    expect(answered).toBe(requests);
    expect(bytesPerTick).toBeLessThan(MOST_BYTES);
  } finally {
    rmSync(path, { force: true });
    rig.remove();
  }
});
