import { describe, expect, it } from 'vitest';
import { chooseThreads, type LoadSource, sampleLoad } from './threads.ts';

const quiet = { cores: 2, busyShare: 0, hasRobot: false };

describe('chooseThreads', () => {
  it.each([
    ['two idle cores', quiet, { threads: 2, spinning: true }],
    ['a little noise', { ...quiet, busyShare: 0.05 }, { threads: 2, spinning: true }],
    ['half a core taken', { ...quiet, busyShare: 0.25 }, { threads: 2, spinning: false }],
    ['one of two cores taken', { ...quiet, busyShare: 0.5 }, { threads: 1, spinning: false }],
    ['all cores taken', { ...quiet, busyShare: 1 }, { threads: 1, spinning: false }],
    ['a robot on two cores', { ...quiet, hasRobot: true }, { threads: 1, spinning: false }],
    ['a robot on eight cores', { cores: 8, busyShare: 0, hasRobot: true }, { threads: 4, spinning: false }],
    ['sixteen idle cores', { cores: 16, busyShare: 0, hasRobot: false }, { threads: 4, spinning: true }],
    ['one core', { cores: 1, busyShare: 0, hasRobot: false }, { threads: 1, spinning: false }],
  ])('%s', (_, load, expected) => {
    expect(chooseThreads('auto', load)).toEqual(expected);
  });

  it('takes the number that is asked for, and still spins only on free cores', () => {
    expect(chooseThreads(2, quiet)).toEqual({ threads: 2, spinning: true });
    expect(chooseThreads(2, { ...quiet, busyShare: 0.6 })).toEqual({ threads: 2, spinning: false });
    expect(chooseThreads(2, { ...quiet, hasRobot: true })).toEqual({ threads: 2, spinning: false });
    expect(chooseThreads(1, quiet)).toEqual({ threads: 1, spinning: false });
  });
});

describe('sampleLoad', () => {
  /** A machine whose cores were busy for `busy` of 100 units, of which this process took `ownS` of 0.2 s. */
  function machine(busy: number, ownS: number): LoadSource {
    let slept = 0;
    return {
      cores: 2,
      coreTimes: () => `cpu  ${1000 + slept * busy} 0 0 ${5000 + slept * (90 - busy)} ${slept * 10} 0 0 0 7 7`,
      ownS: () => slept * ownS,
      nowS: () => slept * 0.2,
      sleep: async () => {
        slept++;
      },
    };
  }

  it('counts what others take, not what this process takes nor waiting for disks', async () => {
    expect((await sampleLoad(false, machine(50, 0))).busyShare).toBeCloseTo(0.5, 9);
    expect((await sampleLoad(false, machine(50, 0.2))).busyShare).toBeCloseTo(0, 9);
    expect(await sampleLoad(true, machine(0, 0))).toEqual({ cores: 2, busyShare: 0, hasRobot: true });
  });

  it.each([undefined, 'cpu  many', 'intr 1 2 3 4 5'])('calls a machine quiet whose times read %s', async (line) => {
    const load = await sampleLoad(false, { ...machine(50, 0), coreTimes: () => line });
    expect(load.busyShare).toBe(0);
  });

  it('reads this machine', async () => {
    const { cores, busyShare } = await sampleLoad(false);
    expect(cores).toBeGreaterThan(0);
    expect(busyShare).toBeGreaterThanOrEqual(0);
    expect(busyShare).toBeLessThanOrEqual(1);
  });
});
