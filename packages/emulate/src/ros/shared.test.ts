import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../../tests/support/fake-clock.ts';
import { until } from '../../../../tests/support/until.ts';
import { Complaints, parseInjection, Trouble } from './injection.ts';
import { keepPace, SimClock } from './sim-time.ts';

describe('trouble on demand', () => {
  it.each([
    ['silence', { kind: 'silence' }],
    ['  jump elbow -0.5 ', { kind: 'jump', joint: 'elbow', byRad: -0.5 }],
    ['lose elbow', { kind: 'lose', joint: 'elbow' }],
    ['clock_back 3', { kind: 'clock_back', byS: 3 }],
    ['clear', { kind: 'clear' }],
  ])('understands "%s"', (text, injection) => {
    expect(parseInjection(text, ['elbow'])).toEqual(injection);
  });

  it.each(['', 'silence now', 'jump elbow', 'jump elbow x', 'jump knee 1', 'clock_back', 'clock_back -1', 'explode'])(
    'says what it would have understood instead of "%s"',
    (text) => expect(parseInjection(text, ['elbow'])).toMatch(/it must be one of|there is no joint/),
  );

  it('adds jumps up, and forgets everything when cleared', () => {
    const trouble = new Trouble();
    for (let i = 0; i < 2; i++) trouble.apply({ kind: 'jump', joint: 'elbow', byRad: 0.5 });
    trouble.apply({ kind: 'silence' });
    expect([trouble.offsetsRad.get('elbow'), trouble.isSilent]).toEqual([1, true]);
    trouble.apply({ kind: 'clear' });
    expect([trouble.offsetsRad.size, trouble.isSilent]).toEqual([0, false]);
  });
});

describe('the time of stamps', () => {
  const ros = { isSimulated: false, nowNs: () => 5_000_000_007n, onJump: () => () => undefined };

  it('is that of ROS', () => {
    const stamp = { sec: 0, nanosec: 0 };
    new SimClock({ ros }).write(stamp, 1);
    expect(stamp).toEqual({ sec: 5, nanosec: 7 });
  });

  it('passes as fast as it is told to where it is its own, and jumps back when asked', () => {
    const clock = new SimClock({ ros, own: { factor: 2, startS: 100 } });
    expect(clock.nowNs(101)).toBe(2_000_000_000n);
    clock.jumpBack(1.5);
    expect(clock.nowNs(101)).toBe(500_000_000n);
    expect(clock.nowNs(102)).toBe(2_500_000_000n);
  });

  it('tells how old a stamp is; one of zero means now', () => {
    const clock = new SimClock({ ros });
    expect(clock.ageS({ sec: 4, nanosec: 500_000_007 }, 0)).toBeCloseTo(0.5, 9);
    expect(clock.ageS({ sec: 0, nanosec: 0 }, 0)).toBe(0);
  });
});

describe('what the simulator says', () => {
  it('is said once a second', () => {
    const said: string[] = [];
    const clock = new FakeClock();
    const complaints = new Complaints((message) => said.push(message), clock);
    for (let i = 0; i < 25; i++) {
      complaints.say('a');
      if (i === 0) complaints.say('b');
      clock.advanceMs(100);
    }
    expect(said).toEqual(['a', 'b', 'a', 'a']);
  });
});

describe('the pace', () => {
  it('makes up at once for a pause of the thread, keeps the deadlines, and stops', async () => {
    const clock = new FakeClock();
    const deadlines: number[] = [];
    const pace = keepPace(0.005, clock, (deadlineS) => deadlines.push(deadlineS));
    clock.advanceMs(5.1);
    await until(() => deadlines.length === 1, 'the first period');
    clock.advanceMs(30);
    await until(() => deadlines.length === 7, 'the periods of the pause');
    for (const [i, deadlineS] of deadlines.entries()) expect(deadlineS).toBeCloseTo(0.005 * (i + 1), 9);
    pace.stop();
    clock.advanceMs(50);
    await delay(20);
    expect([deadlines.length, pace.lostPeriods]).toEqual([7, 0]);
  });

  it('leaves out what it cannot make up for, and counts it', async () => {
    const clock = new FakeClock();
    let ticks = 0;
    const pace = keepPace(0.002, clock, () => {
      ticks++;
    });
    clock.advanceMs(100.1);
    await until(() => ticks + pace.lostPeriods === 50, 'all periods');
    pace.stop();
    expect(pace.lostPeriods).toBeGreaterThan(30);
    expect(ticks).toBeGreaterThan(5);
  });
});
