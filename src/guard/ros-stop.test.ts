import { describe, expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { FakeRosLink, rosOptions } from '../../tests/support/fake-ros-link.ts';
import { faultRow } from '../../tests/support/fault-row.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { COMMAND, COMMAND_KIND } from '../drivers/index.ts';
import type { CommandInterface } from '../drivers/ros/options.ts';
import { RosDriver } from '../drivers/ros/ros-driver.ts';
import { LockStepClock } from '../model/index.ts';
import type { GuardNotice } from '../rows/index.ts';
import { faultsOf } from '../safety/index.ts';
import { Guard } from './guard.ts';
import { createActionCommand } from './link/frames.ts';
import type { GuardPort } from './link/link.ts';
import { MemoryGuardLink } from './link/memory-link.ts';

/** As written by `rein robot import` for any arm. */
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

  it('is not commanded behind the end of its brake ramp, though its stop waits for measured rest', async () => {
    const { guard, link } = await driven();
    // Another controller takes over the elbow and moves it.
    link.isElsewhere = true;
    link.velocityRadPerS[2] = -2;
    for (let i = 0; i < 60 && guard.latest.state !== 'stopping'; i++) {
      link.positionRad[2] = link.positionRad[2]! - 0.02;
      await guard.advance(1);
    }
    expect(guard.latest.state).toBe('stopping');
    // Its reference is at rest by then: 0.2 rad/s.
    await guard.advance(20);
    const { length } = link.commands;
    // Released within the second: it must not be thrown to its earlier target.
    link.isElsewhere = false;
    const before = link.positionRad.slice();
    await guard.advance(30);
    expect(guard.latest.state).toBe('stopping');
    expect(link.commands).toHaveLength(length);
    expect(link.positionRad).toEqual(before);
    link.velocityRadPerS[2] = 0;
    await guard.advance(2);
    expect(guard.latest.state).toBe('fault');
    expect(link.commands.slice(length).map((row) => row[COMMAND.kind])).toEqual([COMMAND_KIND.stop]);
    expect(faultsOf(guard.latest.faultFlags).map(({ flag }) => flag)).toEqual(['trackingError']);
  });

  for (const [kind, after] of [
    ['velocity', 'gets a stop at the end of the ramp, where silence would leave its last speed'],
    ['effort', 'is commanded to measured rest, where silence would leave its last torque'],
  ] as const)
    it(`${after}: ${kind}`, async () => {
      const { guard, link } = await driven(kind);
      link.velocityRadPerS[5] = 0.02;
      link.positionRad[0] = Number.NaN;
      await guard.advance(3);
      link.positionRad.set(guard.latest.referenceRad);
      await guard.advance(20);
      expect(guard.latest.state).toBe('stopping');
      expect(link.commands.at(-1)![COMMAND.kind]).toBe(kind === 'effort' ? COMMAND_KIND.drive : COMMAND_KIND.stop);
      const { length } = link.commands;
      await guard.advance(10);
      expect(link.commands).toHaveLength(kind === 'effort' ? length + 10 : length);
      link.velocityRadPerS[5] = 0;
      await guard.advance(4);
      expect(guard.latest.state).toBe('fault');
      expect(link.commands.at(-1)![COMMAND.kind]).toBe(COMMAND_KIND.stop);
    });

  it('tells what does not come to rest', async () => {
    const { guard, link, notices } = await driven();
    const moved = movingOn({ guard, link });
    await guard.request({ kind: 'stop' });
    await moved(90);
    expect(notices).toEqual([]);
    await moved(40);
    expect(notices).toEqual([
      {
        row: 43,
        level: 'error',
        message: 'The robot moves on after its stop: wrist_3 went 0.05 rad in the 1 s in which it was to stand.',
        remedy: expect.stringContaining('its own emergency stop'),
      },
    ]);
    expect(guard.latest.state).toBe('stopped');
    await moved(30);
    expect(notices).toHaveLength(1);
  });

  it('tells it where somebody has ended it behind the stop, and nothing of who moves it later by right', async () => {
    const { guard, link, notices } = await driven();
    const moved = movingOn({ guard, link });
    await guard.request({ kind: 'stop' });
    while (guard.latest.state !== 'stopped') await moved(1);
    expect(await guard.request({ kind: 'disable' })).toEqual({ ok: true });
    await moved(50);
    expect(guard.latest.state).toBe('standby');
    expect(notices.map(({ row }) => row)).toEqual([43]);
    link.velocityRadPerS[5] = 0;
    await guard.advance(5);
    link.velocityRadPerS[5] = -0.05;
    await moved(150);
    expect(notices).toHaveLength(1);
  });

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

interface Driven {
  readonly guard: MemoryGuardLink;
  readonly link: FakeRosLink;
  readonly tick: () => Guard;
  readonly notices: GuardNotice[];
}

/** Another controller moves the last wrist joint, too slowly for any other row, for `ticks` per call. */
function movingOn({
  guard,
  link,
}: Pick<Awaited<ReturnType<typeof driven>>, 'guard' | 'link'>): (ticks: number) => Promise<void> {
  link.isElsewhere = true;
  link.velocityRadPerS[5] = -0.05;
  return async (ticks) => {
    for (let i = 0; i < ticks; i++) {
      link.positionRad[5] = link.positionRad[5]! - 0.0005;
      await guard.advance(1);
    }
  };
}

/** Enabled and in motion. */
async function driven(kind: CommandInterface = 'position'): Promise<Driven> {
  const clock = new LockStepClock(1 / falling.controlHz);
  const options = rosOptions(falling, kind);
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
    made = new Guard({ driver, facts: driver.facts, model: falling, action, policyPeriodS: 0.1, clock, port });
    return made;
  };
  const guard = new MemoryGuardLink({ nodeIs: 'person', shape, clock, createGuard });
  const notices: GuardNotice[] = [];
  guard.onNotice((notice) => notices.push(notice));
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
    for (let tick = 0; tick < 3; tick++) {
      await guard.advance(1);
      // With position commands the link follows by itself.
      if (kind !== 'position') link.positionRad.set(guard.latest.referenceRad);
    }
  }
  return { guard, link, tick: () => made!, notices };
}
