import { describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { createDriver, type Driver } from '../drivers/index.ts';
import { armDriver } from '../identify/open-arm.ts';
import { identifyAction } from '../identify/path-follower.ts';
import { LockStepClock, Rng, type RobotModel } from '../model/index.ts';
import { EncoderNoise } from './encoder-noise.ts';
import { lockStepGuard } from './lock-step-guard.ts';

const { robot } = arm6Setup().config;
const { driver: _, ...model } = robot;
const DT_S = 1 / model.controlHz;
const STAND_TICKS = 4 * model.controlHz;
const NOISE_RAD = model.joints[2]!.encoderNoiseRad!;

/** The arm behind a guard, with noise of up to `times` the file's on its third joint. Returns the notices of each enabling. */
async function enabledTwice(times: number, of: RobotModel = model): Promise<string[][]> {
  const driver: Driver = await createDriver(armDriver(robot), { model: of });
  const facts = await driver.open();
  const rng = new Rng(5);
  const read = driver.read.bind(driver);
  driver.read = (out) => {
    const status = read(out);
    out.positionRad[2]! += rng.uniformIn(-times, times) * NOISE_RAD;
    return status;
  };
  const action = identifyAction(of);
  const clock = new LockStepClock(DT_S);
  const link = lockStepGuard({ nodeIs: 'person', driver, facts, model: of, action, policyPeriodS: DT_S, clock });
  const notices: string[][] = [];
  link.onNotice(({ level, row, message, remedy }) => notices.at(-1)?.push(`${level} ${row} ${message} ${remedy}`));
  await link.advance(2);
  for (let k = 0; k < 2; k++) {
    notices.push([]);
    expect(await link.request({ kind: 'enable' })).toEqual({ ok: true });
    await link.advance(STAND_TICKS);
    await link.request({ kind: 'disable' });
    await link.advance(STAND_TICKS);
  }
  await link.close();
  return notices;
}

describe('readings beside the encoder noise of the file', () => {
  it('are told of once for each enabling, with what to write, where they spread by more', async () => {
    const told = expect.stringMatching(
      /^warn 42 Readings of \S+ spread by 0\.0000\d+ rad while .* says ±0\.000012 .*write encoderNoiseRad: 0\.0000\d/,
    );
    expect(await enabledTwice(3)).toEqual([[told], [told]]);
  });

  it('are nothing to tell of within it, and of a robot without a tank', async () => {
    expect(await enabledTwice(0.9)).toEqual([[], []]);
    expect(await enabledTwice(3, { ...model, tank: undefined })).toEqual([[], []]);
  });

  it('are no noise where an arm is moved, pushed and let go, or flickers between two counts', () => {
    const seen = (offRad: (tick: number) => number, sentRad = (_tick: number): number => 0): boolean => {
      const noise = new EncoderNoise(model);
      const [sent, at] = [new Float64Array(6), new Float64Array(6)];
      for (let tick = 0; tick < STAND_TICKS; tick++) {
        sent[2] = sentRad(tick);
        at[2] = offRad(tick);
        noise.see(DT_S, sent, at);
      }
      return noise.takeNotice(true) !== undefined;
    };
    const jump = (tick: number): number => (tick % 2) * 3 * NOISE_RAD;
    expect(seen(jump)).toBe(true);
    expect(seen(jump, (tick) => 1e-9 * Math.floor(tick / model.controlHz))).toBe(false);
    expect(seen((tick) => (tick % 2) * 2 * NOISE_RAD)).toBe(false);
    expect(seen((tick) => 0.01 * Math.sin((2 * Math.PI * tick) / model.controlHz))).toBe(false);
    expect(seen((tick) => 1e-4 * tick)).toBe(false);
  });
});
