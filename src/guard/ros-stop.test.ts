import { describe, expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { FakeRosLink, rosOptions } from '../../tests/support/fake-ros-link.ts';
import { faultRow } from '../../tests/support/fault-row.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { LockStepClock } from '../core/index.ts';
import { COMMAND, COMMAND_KIND } from '../drivers/index.ts';
import { RosDriver } from '../drivers/ros/ros-driver.ts';
import { faultsOf } from '../safety/index.ts';
import { Guard } from './guard.ts';
import { createActionCommand } from './link/frames.ts';
import type { GuardPort } from './link/link.ts';
import { MemoryGuardLink } from './link/memory-link.ts';

/** As `rein robot import` writes it of any arm. */
const falling = { ...ur5eLike, holdsWithoutTorque: false, exitRampS: 3 };

describe('a robot behind ROS whose file says that it falls without torque', () => {
  for (const cause of ['silent', 'disable'] as const) {
    faultRow(
      10,
      'fake',
      `${cause}: gets a stop and no command after it, as no torque of it is ours to take`,
      async () => {
        const { guard, link } = await driven();
        if (cause === 'disable') {
          await guard.request({ kind: 'stop' });
          await guard.advance(100);
          await guard.request({ kind: 'disable' });
        }
        link.isSilent = cause === 'silent';
        let ticks = 0;
        let hasRamp = false;
        while (guard.latest.state !== 'fault' && guard.latest.state !== 'standby') {
          await guard.advance(1);
          hasRamp ||= faultsOf(guard.latest.faultFlags).some(({ flag }) => flag === 'lettingDown');
          if (++ticks > 100) break;
        }
        expect(guard.latest.state).toBe(cause === 'silent' ? 'fault' : 'standby');
        expect(hasRamp).toBe(false);
        const { length } = link.commands;
        expect(link.commands.at(-1)![COMMAND.kind]).toBe(COMMAND_KIND.stop);
        await guard.advance(400);
        expect(link.commands).toHaveLength(length);
      },
    );
  }

  it('commands while torque is on, whatever its file says', async () => {
    const { guard, link } = await driven();
    await guard.request({ kind: 'stop' });
    await guard.advance(300);
    expect(guard.latest.state).toBe('stopped');
    expect(link.commands.at(-1)![COMMAND.kind]).toBe(COMMAND_KIND.drive);
  });
});

it('refuses to go on with what the processes that speak ROS have found, and not with a cable', async () => {
  const { guard, link, tick } = await driven();
  const found = { row: 10, message: 'Nobody publishes /joint_states.', remedy: 'Start what publishes it.' };
  link.isSilent = true;
  await guard.advance(200);
  tick().hear({ ...found, level: 'error', condition: 'bridge/measurements' });
  const said = await guard.request({ kind: 'acknowledge' });
  expect(said).toMatchObject({ ok: false, reason: expect.stringContaining('Nobody publishes /joint_states. Start') });
  tick().hear({ ...found, level: 'info', message: 'It comes again.', isOver: true });
  expect(await guard.request({ kind: 'acknowledge' })).not.toEqual(said);
});

/** Enabled and in motion. */
async function driven(): Promise<{ guard: MemoryGuardLink; link: FakeRosLink; tick: () => Guard }> {
  const clock = new LockStepClock(1 / falling.controlHz);
  const options = rosOptions(falling);
  const link = new FakeRosLink(falling, options, clock);
  const driver = new RosDriver(falling, options, link, clock);
  const action = jointSpec(falling, 0.02);
  let made: Guard | undefined;
  const shape = {
    joints: falling.joints.length,
    signals: 0,
    actions: action.dimensions.length,
    controlHz: falling.controlHz,
  };
  const createGuard = (port: GuardPort): Guard => {
    made = new Guard({ driver, model: falling, action, policyPeriodS: 0.1, clock, port });
    return made;
  };
  const guard = new MemoryGuardLink({ nodeIs: 'person', shape, clock, createGuard });
  clock.step();
  await driver.open();
  await guard.advance(2);
  expect(await guard.request({ kind: 'enable' })).toEqual({ ok: true });
  await guard.request({ kind: 'activate' });
  const command = createActionCommand(falling.joints.length);
  for (let i = 0; i < 10; i++) {
    command.seq++;
    command.decider = 'policy';
    command.leaseS = 0.2;
    command.issuedAtS = clock.nowS();
    command.action.fill(1);
    guard.send(command);
    await guard.advance(3);
  }
  return { guard, link, tick: () => made! };
}
