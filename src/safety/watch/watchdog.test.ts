import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
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
    // The next episode: the command of the one before has run out long ago.
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

  it('calls the arm at rest when it stands, or after a second of stopping', () => {
    const rest = new RestDetector();
    expect(rest.check('active.policy', [0.5], 1)).toBe(false);
    expect(rest.check('stopping', [0.5], 2)).toBe(false);
    expect(rest.check('stopping', [0.009], 2.1)).toBe(true);
    expect(rest.check('stopping', [0.5], 2.9)).toBe(false);
    expect(rest.check('stopping', [0.5], 3)).toBe(true);
    expect(rest.check('ready', [0.5], 9)).toBe(false);
    expect(rest.check('stopping', [Number.NaN], 9.1)).toBe(false);
  });
});
