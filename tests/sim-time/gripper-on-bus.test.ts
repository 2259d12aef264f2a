/** The gripper of an SO-101 on its emulated bus, under the guard, by the action of the task pick: it closes on something, and holds it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FeetechBus } from '../../packages/emulate/src/feetech/feetech-bus.ts';
import { resolveConfig } from '../../src/config/index.ts';
import { feetechFamily } from '../../src/drivers/serial.ts';
import type { Guard } from '../../src/guard/guard.ts';
import { createActionCommand, lockStepGuard } from '../../src/guard/index.ts';
import type { MemoryGuardLink } from '../../src/guard/link/memory-link.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { BusClock, type ServoRig, servoRig } from '../support/emulated-servos.ts';

const GRIPPER = 5;
/** Where the jaw meets the thing that it is to hold. */
const THING_RAD = 0.15;
const CLOSE = -1;
const OPEN = 1;
const POLICY_HZ = 10;

let rig: ServoRig;
let link: MemoryGuardLink;
let command: ReturnType<typeof createActionCommand>;

beforeEach(async () => {
  rig = servoRig({ robot: 'so101', family: feetechFamily });
  const { body, driver } = rig;
  const step = body.step.bind(body);
  body.step = () => {
    step();
    if (body.positionRad[GRIPPER]! > THING_RAD) return;
    body.positionRad[GRIPPER] = THING_RAD;
    body.velocityRadPerS[GRIPPER] = Math.max(0, body.velocityRadPerS[GRIPPER]!);
  };
  const { driver: _, ...model } = rig.robot;
  const { action } = resolveConfig({ task: 'pick', seed: 1, isSimulated: true }).task as {
    action: ConstructorParameters<typeof Guard>[0]['action'];
  };
  const clock = new BusClock(rig);
  link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model,
    action,
    policyPeriodS: 1 / POLICY_HZ,
    clock,
  });
  command = createActionCommand(action.dimensions.length);
  command.decider = 'policy';
  command.leaseS = 2 / POLICY_HZ;
  await driver.open();
  driver.service('passFirstMotion');
  await link.advance(2);
  await link.request({ kind: 'enable' });
  await link.advance(2);
  await link.request({ kind: 'activate' });
  await link.advance(2);
});
afterEach(async () => {
  await rig.driver.close();
  rig.remove();
});

/** One step of the policy, which moves nothing but the gripper. */
async function act(gripper: number): Promise<void> {
  command.seq++;
  command.issuedAtS = rig.line.clock.nowS();
  command.action.fill(0);
  command.action[command.action.length - 1] = gripper;
  link.send(command);
  for (let tick = 0; tick < rig.robot.controlHz / POLICY_HZ; tick++) {
    await link.advance(1);
    leadRad = Math.max(leadRad, THING_RAD - link.latest.referenceRad[GRIPPER]!);
  }
}

/** Farthest that the reference was beyond what the jaw meets. */
let leadRad = 0;

it('closes and opens in a few steps, and holds for a minute without heat, stall or a fault', async () => {
  const servo = (rig.bus as FeetechBus).servos[GRIPPER]!;
  // 0.4 of what it can: written, and there.
  expect(servo.registers.get('torqueLimit')).toBe(400);
  expect(link.latest.state).toBe('active.policy');
  let steps = 0;
  while (rig.body.positionRad[GRIPPER]! > THING_RAD && steps < 20) {
    await act(CLOSE);
    steps++;
  }
  expect(steps).toBeLessThanOrEqual(7);

  leadRad = 0;
  for (let i = 0; i < 60 * POLICY_HZ; i++) await act(CLOSE);
  expect(faultsOf(link.latest.faultFlags)).toEqual([]);
  expect(link.latest.state).toBe('active.policy');
  // It presses by its cap, and asks for no more than the leash lets it.
  expect(Math.abs(servo.registers.value('presentLoad'))).toBeCloseTo(0.4, 2);
  expect(leadRad).toBeGreaterThan(0.05);
  expect(leadRad).toBeLessThan(rig.robot.leashRad + 0.01);
  expect(servo.motor.temperatureC).toBeLessThan(40);

  for (steps = 0; rig.body.positionRad[GRIPPER]! < 0.4 && steps < 20; steps++) await act(OPEN);
  expect(steps).toBeLessThanOrEqual(7);
});
