import { closeSync, openSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { diffBase } from '../../../tests/support/robot-models.ts';
import { MockDriver } from '../../drivers/index.ts';
import { LockStepClock } from '../../model/index.ts';
import { createRobotState } from '../../rows/index.ts';
import { GuardPulse } from './guard-pulse.ts';
import { watchedDriver } from './watched-driver.ts';

const fds: number[] = [];
afterEach(() => {
  for (const fd of fds.splice(0)) closeSync(fd);
});

function stand() {
  const robot = new MockDriver(diffBase);
  const pulse = new GuardPulse(new LockStepClock(1 / diffBase.controlHz));
  const state = createRobotState(diffBase.joints.length, 0);
  return { robot, pulse, state, watched: watchedDriver(robot, pulse) };
}

/** A guardian that answers every beat. */
function connect(pulse: GuardPulse): void {
  fds.push(openSync('/dev/null', 'w'), openSync('/dev/zero', 'r'));
  pulse.connect({ pulseFd: fds[0]!, answersFd: fds[1]! });
}

describe('a driver whose bus is watched', () => {
  it('says what its driver says, in the same report', async () => {
    const { robot, state, watched } = stand();
    await watched.open();
    robot.inject('emergencyStop', 1);
    watched.read(state);
    expect(watched.report.isEmergencyStopPressed).toBe(true);
    watched.read(state);
    expect(watched.report.isEmergencyStopPressed).toBe(false);
    expect(watched.report).toBe(robot.report);
    expect(watched.scene).toBe(robot.scene);
  });

  it('gets no torque before a guardian answers, and is measured anew then', async () => {
    const { robot, pulse, watched } = stand();
    const service = vi.spyOn(robot, 'service');
    expect(watched.service('prepare')).toMatchObject({ refusal: expect.stringContaining('no guardian was started') });
    expect(service).not.toHaveBeenCalled();
    connect(pulse);
    expect(watched.service('prepare')).toBe('done');
    expect(service.mock.calls).toEqual([['prepare']]);
    expect(watched.service('recover')).toBe('done');
    expect([watched.service('endCommands'), watched.service('passFirstMotion')]).toEqual(['nothing', 'done']);
  });

  it('has its guardian armed before torque is on and until it is off, and while it is let down', async () => {
    const { robot, pulse, watched } = stand();
    const calls: string[] = [];
    vi.spyOn(pulse, 'arm').mockImplementation(() => void calls.push('arm'));
    vi.spyOn(pulse, 'disarm').mockImplementation(() => void calls.push('disarm'));
    vi.spyOn(robot, 'torque').mockImplementation((ratio) => void calls.push(`torque ${ratio}`));
    for (const ratio of [1, 0.5, 0]) watched.torque(ratio);
    expect(calls).toEqual(['arm', 'torque 1', 'torque 0.5', 'torque 0', 'disarm']);
  });

  it('whose bus was stopped past a guard that was held up takes torque off once, and refuses what is written', async () => {
    const { robot, pulse, state, watched } = stand();
    await watched.open();
    watched.torque(1);
    const torque = vi.spyOn(robot, 'torque');
    const isStopped = vi.spyOn(pulse, 'isStoppedPast', 'get').mockReturnValue(true);
    for (let i = 0; i < 3; i++) {
      expect(watched.read(state)).toBe('ok');
      expect(watched.write(state.positionRad)).toBe('lost');
    }
    expect(torque.mock.calls).toEqual([[0]]);
    isStopped.mockReturnValue(false);
    watched.torque(1);
    expect(watched.write(state.positionRad)).toBe('ok');
  });
});
