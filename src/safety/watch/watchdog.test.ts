import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { oddArm3, ur5eLike } from '../../../tests/support/robot-models.ts';
import type { SafetyStateName } from '../../rows/index.ts';
import { createChainReport } from '../chain-report.ts';
import { COMMAND_LATE, COMMAND_LOST, ENCODER_JUMP, READING_NOT_FINITE, TICK_STALLED } from '../fault-table/flags.ts';
import { CommandWatchdog, checkTick, MeasurementWatchdog, RestDetector } from './watchdog.ts';

describe('the command watchdog', () => {
  const following = { ...createChainReport(), isFollowing: true };
  const silent = createChainReport();

  faultRow([2, 3], 'fake', 'warns at once and stops after a second of silence', () => {
    const dog = new CommandWatchdog();
    expect(dog.check('active.policy', following, 10)).toBe(0);
    expect(dog.check('active.policy', silent, 10.02)).toBe(COMMAND_LATE);
    expect(dog.check('active.policy', silent, 11)).toBe(COMMAND_LATE);
    expect(dog.check('active.policy', silent, 11.01)).toBe(COMMAND_LATE | COMMAND_LOST);
    expect(dog.check('active.policy', following, 11.02)).toBe(0);
  });

  it('leaves a standing arm and a person alone', () => {
    const dog = new CommandWatchdog();
    expect(dog.check('ready', silent, 10)).toBe(0);
    expect(dog.check('active.human', silent, 20)).toBe(0);
  });

  it('waits a second for the first command, in which nothing moves', () => {
    const dog = new CommandWatchdog();
    dog.check('ready', silent, 20);
    expect(dog.check('active.policy', silent, 20.01)).toBe(0);
    expect(dog.check('active.policy', silent, 21)).toBe(0);
    expect(dog.check('active.policy', silent, 21.01)).toBe(COMMAND_LATE | COMMAND_LOST);
    expect(dog.check('active.policy', following, 21.02)).toBe(0);
    expect(dog.check('active.policy', silent, 21.03)).toBe(COMMAND_LATE);
    // The next episode: the last command of the previous one expired long ago.
    dog.check('ready', silent, 25);
    expect(dog.check('active.policy', silent, 25.01)).toBe(0);
  });
});

describe('the measurement watchdog', () => {
  const dtS = 0.02;
  const started = (): MeasurementWatchdog => {
    const dog = new MeasurementWatchdog(oddArm3);
    expect(dog.check([0, 0, 0], dtS)).toBe(0);
    expect(dog.isTrusted).toBe(true);
    return dog;
  };

  it('refuses a reading that is not finite or incomplete, at once', () => {
    for (const bad of [
      [0, Number.NaN, 0],
      [Number.POSITIVE_INFINITY, 0, 0],
      [0, 0],
    ]) {
      const dog = started();
      expect(dog.check(bad, dtS)).toBe(READING_NOT_FINITE);
      expect(dog.isTrusted).toBe(false);
    }
  });

  faultRow(15, 'fake', 'ignores one jump and faults on the second in a row', () => {
    const dog = started();
    expect(dog.check([Math.PI, 0, 0], dtS)).toBe(0);
    expect(dog.isTrusted).toBe(false);
    expect(dog.check([Math.PI, 0, 0], dtS)).toBe(ENCODER_JUMP);
  });

  it('forgets a single glitch', () => {
    const dog = started();
    dog.check([0, 0, 2], dtS);
    expect(dog.check([0, 0, 0.01], dtS)).toBe(0);
    expect(dog.isTrusted).toBe(true);
    expect(dog.check([0, 0, 2], dtS)).toBe(0);
  });

  it('lets a joint move as fast as it can', () => {
    const dog = started();
    const speed = oddArm3.joints[2]!.velocityMaxRadPerS;
    for (let k = 1; k < 20; k++) expect(dog.check([0, 0, 1.4 * speed * dtS * k], dtS)).toBe(0);
    expect(dog.isTrusted).toBe(true);
  });

  it('reckons a period that is no number as none', () => {
    const dog = started();
    dog.check([0.01, 0, 0], Number.NaN);
    expect(dog.check([0.01, 0, 0], -1)).toBe(ENCODER_JUMP);
  });

  it('starts afresh after a restart', () => {
    const dog = started();
    dog.restart();
    expect(dog.check([1, 1, 1], dtS)).toBe(0);
    expect(dog.isTrusted).toBe(true);
  });
});

describe('the tick and the rest after a stop', () => {
  faultRow(24, 'fake', 'calls a tick stalled beyond three periods, and when the time is unknown', () => {
    expect(checkTick(0.03, 0.01)).toBe(0);
    expect(checkTick(0.031, 0.01)).toBe(TICK_STALLED);
    expect(checkTick(Number.NaN, 0.01)).toBe(TICK_STALLED);
  });

  /** Servos with a lag of 0.1 s: they have followed a standing reference after 0.3 s. */
  const lagging = { joints: [{ ...ur5eLike.joints[0]!, stiffnessNmPerRad: 100, dampingNmSPerRad: 10 }] };

  it('calls the arm at rest when it is read to stand beside its reference, or after a second of stopping', () => {
    const rest = new RestDetector(lagging);
    const check = (state: SafetyStateName, readRadPerS: number, nowS: number): boolean => {
      rest.see([readRadPerS]);
      return rest.check(state, [0], nowS);
    };
    expect(check('active.policy', 0.5, 1)).toBe(false);
    expect(check('stopping', 0.5, 2)).toBe(false);
    expect(check('stopping', 0.009, 2.1)).toBe(true);
    expect(check('stopping', 0.5, 2.9)).toBe(false);
    expect(check('stopping', 0.5, 3)).toBe(true);
    expect(check('ready', 0.5, 9)).toBe(false);
    expect(check('stopping', Number.NaN, 9.1)).toBe(false);
  });

  it('gives an arm that brakes for more than a second the time to follow', () => {
    const rest = new RestDetector(lagging);
    rest.see([0.5]);
    for (let t = 0; t <= 1.2; t += 0.1) expect(rest.check('stopping', [0.1], t)).toBe(false);
    expect(rest.check('stopping', [0], 1.3)).toBe(false);
    expect(rest.check('stopping', [0], 1.59)).toBe(false);
    expect(rest.check('stopping', [0], 1.61)).toBe(true);
  });

  it('gives the servos of an arm without readings three times their lag from when the reference stands', () => {
    const rest = new RestDetector(lagging);
    rest.see([0]);
    for (let k = 0; k < 3; k++) rest.miss();
    expect(rest.check('stopping', [0.2], 1)).toBe(false);
    expect(rest.check('stopping', [0], 1.01)).toBe(false);
    expect(rest.check('stopping', [0], 1.3)).toBe(false);
    expect(rest.check('stopping', [0], 1.32)).toBe(true);
  });

  it('believes readings that come again once three in a row show rest', () => {
    const rest = new RestDetector(lagging);
    for (let k = 0; k < 3; k++) rest.miss();
    const seen = [0, 0, 0.5, 0, 0, 0].map((readRadPerS, k) => {
      rest.see([readRadPerS]);
      return rest.check('stopping', [0], 1 + k / 100);
    });
    expect(seen).toEqual([false, false, false, false, false, true]);
  });

  it('holds no arm for longer than a second, whatever its file says, and no axis without a lag', () => {
    for (const [dampingNmSPerRad, settleS] of [
      [1e9, 1],
      [0, 0],
    ] as const) {
      const rest = new RestDetector({ joints: [{ ...ur5eLike.joints[0]!, dampingNmSPerRad }] });
      for (let k = 0; k < 3; k++) rest.miss();
      expect(rest.check('stopping', [0], 1)).toBe(settleS === 0);
      expect(rest.check('stopping', [0], 1 + settleS)).toBe(true);
    }
  });
});
