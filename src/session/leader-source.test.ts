import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServoRig, servoOptionsOf, servoRig } from '../../tests/support/emulated-servos.ts';
import { keptLine } from '../../tests/support/kept-line.ts';
import { feetechFamily } from '../drivers/serial.ts';
import type { Vec } from '../model/index.ts';
import { LeaderSource } from './leader-source.ts';

const LOOK_S = 0.02;
/** Number of looks to wait: one attempt a second, and the time that each takes. */
const PATIENCE_LOOKS = 300;

let rig: ServoRig;
let source: LeaderSource;

beforeEach(async () => {
  rig = servoRig({ robot: 'so101-leader', family: feetechFamily, adapter: '' });
  const options = { ...servoOptionsOf(rig.robot), calibration: rig.calibration };
  const openPort = async () => ({ line: () => keptLine(rig.line), close: async () => undefined });
  source = new LeaderSource({ name: 'feetech', options }, rig.robot, rig.line.clock, openPort);
  await source.open();
  // Lost leaders are searched for at once: the last attempt is long ago.
  rig.line.wait(rig.line.clock.nowS() + 2);
});
afterEach(async () => {
  await source.close();
  rig.remove();
});

const torqued = (): number => rig.bus.states().filter(({ isTorqueOn }) => isTorqueOn).length;

/** Reads the leader as a session does continuously. */
async function look(): Promise<'ok' | 'lost'> {
  rig.line.wait(rig.line.clock.nowS() + LOOK_S);
  const status = source.read();
  await nextTurn();
  return status;
}

async function looksUntil(wanted: 'ok' | 'lost'): Promise<void> {
  for (let looks = 0; looks < PATIENCE_LOOKS; looks++) if ((await look()) === wanted) return;
  throw new Error(`it does not come to be ${wanted}: ${source.takeNotice()?.message}`);
}

async function goAlong(): Promise<void> {
  source.driver!.torque(1);
  source.driver!.torque(0.2);
  const reference = source.positionRad.slice() as Vec<'rad'>;
  for (let looks = 0; looks < 10; looks++) {
    await look();
    expect(source.driver!.write(reference)).toBe('ok');
  }
  expect(torqued()).toBe(6);
}

describe('a leader that is lost while it goes along', () => {
  it('leads again without torque once it is plugged in, and said once why it could not', async () => {
    await goAlong();
    rig.line.unplug();
    await looksUntil('lost');
    const said: string[] = [];
    for (let looks = 0; looks < PATIENCE_LOOKS; looks++) {
      await look();
      const notice = source.takeNotice();
      if (notice !== undefined) said.push(`${notice.message} ${notice.remedy}`);
    }
    expect(said).toEqual([expect.stringMatching(/^No servo 1 \(shoulder_pan\) answers .* Check power and cables/)]);
    expect(torqued()).toBe(6);
    rig.line.plug();
    await looksUntil('ok');
    expect(torqued()).toBe(0);
    // Moved by hand.
    rig.body.positionRad[0] = rig.robot.homeRad[0]! + 0.3;
    await look();
    expect(source.positionRad[0]).toBeCloseTo(rig.robot.homeRad[0]! + 0.3, 2);
    await goAlong();
  });

  it('has no torque after noise that no order came through', async () => {
    await goAlong();
    rig.faults.requests.drop = 1;
    await looksUntil('lost');
    expect([torqued(), source.driver]).toEqual([6, undefined]);
    rig.faults.requests.drop = 0;
    await looksUntil('ok');
    expect(torqued()).toBe(0);
  });
});
