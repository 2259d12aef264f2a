import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../tests/support/fake-clock.ts';
import { rosOptions } from '../../../tests/support/fake-ros-link.ts';
import { diffBase } from '../../../tests/support/robot-models.ts';
import type { GuardNotice } from '../../rows/index.ts';
import { Notices } from './notices.ts';
import type { RobotReadings } from './robot-readings.ts';

/** Notices within `seconds` of odometry at each of `ratesHz`, one after the other. */
function saidAt(ratesHz: readonly number[], freshnessMs: number, minimumRateHz = 20, seconds = 10): GuardNotice[] {
  const clock = new FakeClock(1_000_000_000n);
  const said: GuardNotice[] = [];
  let measurements = 0;
  const readings = {
    get measurements() {
      return Math.floor(measurements);
    },
    get measuredAtS() {
      return clock.nowS();
    },
    missing: [],
    names: [],
    takeWorstAgeS: () => 0,
    subscription: { topic: '/odom', publisherCount: 1, counters: { received: 0, malformed: 0 } },
  } as unknown as RobotReadings;
  const state = { kind: 'odometry', topic: 'odom' } as const;
  const notices = new Notices({
    options: { ...rosOptions(diffBase, 'twist', { state }), freshnessMs, minimumRateHz },
    readings,
    clock,
    isSimulated: () => false,
    commanders: () => ({ topic: '/cmd_vel', nodes: [] }),
    contradiction: () => undefined,
    graphFaults: () => [],
    say: (notice) => said.push(notice),
  });
  for (const hz of ratesHz) {
    for (let s = 0; s < seconds; s++) {
      measurements += hz;
      clock.advanceMs(1000);
      notices.look();
    }
  }
  return said;
}

describe('what is said of the rate of measurements', () => {
  it('is nothing at the rate that is wanted, however it is counted, and its fall and rise once each below', () => {
    expect(saidAt([19.6, 20.3, 19.8], 200)).toEqual([]);
    const fallen = saidAt([30, 10, 30], 500);
    expect(fallen.map(({ message }) => message)).toEqual([
      '/odom is published at 10 Hz; at least 20 Hz are required.',
      expect.stringMatching(/^\/odom is published at \d+ Hz again\.$/),
    ]);
    expect(fallen[0]!.remedy).toContain('what publishes odometry');
  });

  it('is once that they may be hardly older than the next one is, with a number that the file takes', () => {
    const [notice, ...others] = saidAt([20], 50);
    expect(others).toEqual([]);
    expect(notice).toMatchObject({ row: 10, level: 'warn', remedy: expect.stringContaining('freshnessMs: 150') });
    expect(saidAt([50], 50)).toEqual([]);
  });
});

it('says that what it hears is a simulation, and when it is not any more, once each', () => {
  const clock = new FakeClock(1_000_000_000n);
  const said: string[] = [];
  let isSimulated = true;
  const readings = {
    takeWorstAgeS: () => 0,
    measurements: 0,
    missing: [],
    subscription: { topic: '/joint_states' },
  };
  const nobody = () => ({ topic: '', nodes: [] });
  const graph = { commanders: nobody, contradiction: () => undefined, graphFaults: () => [] };
  const parts = { clock, readings, isSimulated: () => isSimulated, ...graph };
  const say = ({ message }: GuardNotice): void => void (message.includes('simulation') && said.push(message));
  const notices = new Notices({ ...parts, options: rosOptions(diffBase, 'twist'), say } as never);
  for (const next of [true, true, false, false]) {
    isSimulated = next;
    clock.advanceMs(1000);
    notices.look();
  }
  expect(said).toEqual([
    '/joint_states comes from a simulation: nothing real moves.',
    '/joint_states does not come from a simulation any more: the robot is real.',
  ]);
});

it('leaves a jump of /clock to the node, which knows what becomes of the episode', () => {
  const said: GuardNotice[] = [];
  const notices = new Notices({ clock: new FakeClock(), say: (notice: GuardNotice) => said.push(notice) } as never);
  notices.fault({ kind: 'timeJump', where: '/clock', message: 'went back by 5 s' });
  expect(said).toEqual([]);
});
