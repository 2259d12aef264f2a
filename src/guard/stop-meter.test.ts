import { expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { MockDriver } from '../drivers/index.ts';
import { LockStepClock, type StopFigures } from '../model/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import { createActionCommand } from './link/frames.ts';
import { lockStepGuard } from './lock-step-guard.ts';
import { StopMeter } from './stop-meter.ts';

const model = { ...ur5eLike, leashM: 0.2, leashRad: 1 };
const PERIOD_S = 1 / model.controlHz;

/**
 * Stops recorded by the meter, each after 40 ticks of one of `actions` on the first joint. `lastStampS`: stamp of the last frame
 * before each stop, from its own stamp and the previous one.
 */
async function stopsAfter(
  actions: readonly number[],
  lastStampS: (ownS: number, beforeS: number) => number = (ownS) => ownS,
  { everyTicks = 1, leaseS = 0.05, unstampedEvery = Number.POSITIVE_INFINITY } = {},
): Promise<StopFigures[]> {
  const clock = new LockStepClock(PERIOD_S);
  const driver = new MockDriver(model);
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model,
    action: jointSpec(model, 0.09),
    policyPeriodS: 0.1,
    clock,
  });
  const meter = new StopMeter(model, 0.1);
  const found: StopFigures[] = [];
  let waiting: GuardFrame | undefined;
  let beforeS = Number.NaN;
  link.onFrame((frame) => {
    const seen = waiting;
    waiting = structuredClone(frame);
    if (seen === undefined) return;
    const ownS = seen.robot.measuredAtS;
    if (frame.decider === 'hold' && seen.decider !== 'hold') seen.robot.measuredAtS = lastStampS(ownS, beforeS);
    beforeS = ownS;
    if (frame.tick % unstampedEvery === 0) seen.robot.measuredAtS = Number.NaN;
    const stop = meter.see(seen);
    if (stop !== undefined) found.push(stop);
  });
  await driver.open();
  await link.advance(2);
  await link.request({ kind: 'enable' }, 'person');
  await link.advance(1);
  const command = createActionCommand(6);
  for (const action of actions) {
    await link.request({ kind: 'activate' }, 'person');
    for (let tick = 0; tick < 40; tick++) {
      Object.assign(command, { seq: command.seq + 1, decider: 'policy', issuedAtS: clock.nowS(), leaseS });
      command.action[0] = action;
      if (tick % everyTicks === 0) link.send(command);
      await link.advance(1);
    }
    await link.advance(90);
  }
  return found;
}

it('measures time and way of each stop of the measured arm, of the fastest point', async () => {
  const [short, long] = await stopsAfter([0.3, -1]);
  for (const { speedMPerS, timeS, distanceM } of [short!, long!]) {
    // Braking for v/A, the mock's lag of 20 ms and its tail; a distance between those of uniform braking and of none.
    expect(timeS).toBeGreaterThan(PERIOD_S);
    expect(timeS).toBeLessThan(0.5);
    expect(distanceM).toBeGreaterThan(0.02 * speedMPerS);
    expect(distanceM).toBeLessThan(speedMPerS * timeS);
  }
  expect(long!.speedMPerS).toBeGreaterThan(1.2 * short!.speedMPerS);
  expect(long!.timeS).toBeGreaterThan(short!.timeS);
  expect(long!.distanceM).toBeGreaterThan(short!.distanceM);
});

it('begins where the last command has been followed to its end, however much longer its lease is', async () => {
  // Like a policy's commands: one per policy period, with a longer lease.
  const everyTicks = Math.round(0.1 / PERIOD_S);
  const [own] = await stopsAfter([-1], undefined, { everyTicks, leaseS: 0.1 });
  const [late] = await stopsAfter([-1], undefined, { everyTicks, leaseS: 0.3 });
  expect(late!.speedMPerS).toBeGreaterThan(0.9 * own!.speedMPerS);
  expect(late!.distanceM).toBeCloseTo(own!.distanceM, 2);
  // Unstamped readings in between do not end a stop.
  const [blinking] = await stopsAfter([-1], undefined, { everyTicks, leaseS: 0.3, unstampedEvery: 3 });
  expect(blinking!.speedMPerS).toBeGreaterThan(0.9 * own!.speedMPerS);
});

it('sees no stop of an arm that stood', async () => {
  expect(await stopsAfter([0])).toEqual([]);
});

it.each([
  ['a reading that came twice', (_: number, beforeS: number) => beforeS],
  ['a reading without a stamp', () => Number.NaN],
])('counts a stop that begins after %s, with the last speed that is known', async (_, lastStampS) => {
  const [own] = await stopsAfter([-1]);
  const [stop] = await stopsAfter([-1], lastStampS);
  expect(stop!.speedMPerS).toBeGreaterThan(0.5 * own!.speedMPerS);
  expect(stop!.speedMPerS).toBeLessThan(1.5 * own!.speedMPerS);
  expect(stop!.distanceM).toBeCloseTo(own!.distanceM, 2);
  // Measured from the last known stamp, never shorter.
  expect(stop!.timeS).toBeGreaterThan(own!.timeS - 0.5 * PERIOD_S);
  expect(stop!.timeS).toBeLessThan(own!.timeS + 1.5 * PERIOD_S);
});
