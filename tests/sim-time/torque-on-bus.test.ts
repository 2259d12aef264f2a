/** An SO-101 on its emulated bus, under the guard, whose goals are lost on the line just when torque is to come on. */
import { expect, it } from 'vitest';
import type { FeetechBus } from '../../packages/emulate/src/feetech/feetech-bus.ts';
import { feetech, feetechFamily } from '../../src/drivers/serial.ts';
import { lockStepGuard } from '../../src/guard/index.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { jointSpec } from '../support/adversary.ts';
import { BusClock, servoRig } from '../support/emulated-servos.ts';

const GOAL_ADDRESS = 42;
const SUNK_RAD = 0.02;
const SUNK_S = 0.01;

it('row 10: torque that comes on nowhere stops the robot, is told with the servo, and comes after acknowledging', async () => {
  const rig = servoRig({ robot: 'so101', family: feetechFamily });
  const { driver, faults, line } = rig;
  const { driver: _, ...model } = rig.robot;
  const clock = new BusClock(rig);
  const action = jointSpec(model, 0.02);
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model,
    action,
    policyPeriodS: 0.1,
    clock,
  });
  const notices: string[] = [];
  link.onNotice(({ row, message }) => notices.push(`${row}: ${message}`));
  const write = line.write.bind(line);
  let isBad = true;
  line.write = (bytes, length) => {
    const isGoals = bytes[4] === feetech.INSTRUCTION.syncWrite && bytes[5] === GOAL_ADDRESS;
    faults.requests.drop = isGoals && isBad ? 1 : 0;
    return write(bytes, length);
  };
  // Without torque an arm sinks meanwhile: what was confirmed then is not where it is.
  const service = driver.service.bind(driver);
  driver.service = (request) => {
    const answer = service(request);
    if (request !== 'prepare') return answer;
    rig.body.positionRad[0]! -= SUNK_RAD;
    line.wait(line.clock.nowS() + SUNK_S);
    return answer;
  };
  const torque = (): readonly boolean[] => (rig.bus as FeetechBus).servos.map(({ isTorqueOn }) => isTorqueOn);
  try {
    await driver.open();
    await link.advance(2);
    expect(await link.request({ kind: 'enable' })).toEqual({ ok: true });
    await link.advance(5);
    expect(faultsOf(link.latest.faultFlags).map(({ row }) => row)).toContain(10);
    expect(notices).toContainEqual(expect.stringMatching(/^10: Servo 1 \(shoulder_pan\) did not confirm/));
    expect(torque()).toEqual(new Array(6).fill(false));

    isBad = false;
    // Brake and ramp of an arm that would fall.
    await link.advance(300);
    expect(link.latest.state).toBe('fault');
    expect(await link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
    expect(await link.request({ kind: 'enable' })).toEqual({ ok: true });
    await link.advance(5);
    expect(link.latest.state).toBe('ready');
    expect(torque()).toEqual(new Array(6).fill(true));
  } finally {
    await driver.close();
    rig.remove();
  }
});
