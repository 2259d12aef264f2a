import { describe, expect, it } from 'vitest';
import { teleopBody } from './teleop.ts';

const given = {
  robot: 'arm7',
  moves: undefined,
  operator: 'gamepad',
  speedRatio: 0.25,
  rateHz: 10,
  durationS: 1,
  config: undefined,
  out: undefined,
  output: 'quiet',
} as const;

describe('rein teleop', () => {
  it.each([
    [{ robot: 'arm6' }, 'simulated in the scene of a task', '--robot arm7'],
    [{ robot: 'base-diff-ros', moves: 'tool' }, 'which has no tool', '--moves joints'],
    [{ robot: 'arm8' }, 'there is no robot called "arm8"', undefined],
  ] as const)('refuses %o in a sentence, before anything is started', async (options, message, remedy) => {
    const error = await teleopBody({ ...given, ...options }).then(
      () => undefined,
      (cause: Error & { remedy?: string }) => cause,
    );
    expect(error?.message).toContain(message);
    if (remedy !== undefined) expect(error?.remedy).toContain(remedy);
  });
});
