/** An SO-101 on its emulated bus that was driven against something and then stands there, as at the end of an episode. */
import { expect, it } from 'vitest';
import { feetechFamily } from '../../src/drivers/serial.ts';
import { activate, createActionCommand, lockStepGuard } from '../../src/guard/index.ts';
import { PRESSING_SHARE } from '../../src/guard/pressure-relief.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { PRESS_SHARE } from '../../src/safety/limits/press-limit.ts';
import { jointSpec } from '../support/adversary.ts';
import { BusClock, servoRig } from '../support/emulated-servos.ts';

const WRIST = 3;
const STANDS_S = 20;

it('eases off until it is no stall, and stands for as long as it likes', async () => {
  const rig = servoRig({ robot: 'so101', family: feetechFamily });
  const { driver, body } = rig;
  const { driver: _, ...model } = rig.robot;
  const clock = new BusClock(rig);
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model,
    action: jointSpec(model, 0.15),
    policyPeriodS: 0.1,
    clock,
  });
  const step = body.step.bind(body);
  let stopRad = Number.NEGATIVE_INFINITY;
  body.step = () => {
    step();
    if (body.positionRad[WRIST]! >= stopRad) return;
    body.positionRad[WRIST] = stopRad;
    body.velocityRadPerS[WRIST] = 0;
  };
  const ahead = (): number => Math.abs(link.latest.referenceRad[WRIST]! - link.latest.robot.positionRad[WRIST]!);
  const { torqueMaxNm, stiffnessNmPerRad } = model.joints[WRIST]!;
  const kneeRad = torqueMaxNm / stiffnessNmPerRad;
  // As far as a policy may press.
  const pressedRad = (0.9 * PRESS_SHARE * driver.facts.torqueCapNm![WRIST]!) / stiffnessNmPerRad;
  try {
    await driver.open();
    await link.advance(2);
    expect(await link.request({ kind: 'enable' })).toEqual({ ok: true });
    await link.advance(2);
    expect(await activate(link)).toEqual({ ok: true });
    stopRad = body.positionRad[WRIST]! - 0.1;
    const command = createActionCommand(6);
    command.decider = 'policy';
    command.leaseS = 0.2;
    for (let tick = 0; ahead() < pressedRad; tick++) {
      if (tick % 5 === 0) {
        command.seq++;
        command.issuedAtS = clock.nowS();
        command.action[WRIST] = -1;
        link.send(command);
      }
      await link.advance(1);
      const rows = faultsOf(link.latest.faultFlags).map(({ row }) => row);
      expect({ tick, rows, ahead: ahead(), state: link.latest.state }).toMatchObject({
        rows: [],
        state: 'active.policy',
      });
    }
    expect(await link.request({ kind: 'hold' })).toEqual({ ok: true });
    let worst: number[] = [];
    for (let tick = 0; tick < STANDS_S * model.controlHz; tick++) {
      await link.advance(1);
      if (link.latest.state !== 'ready') worst = faultsOf(link.latest.faultFlags).map(({ row }) => row);
    }
    expect(worst).toEqual([]);
    expect(link.latest.state).toBe('ready');
    expect(ahead()).toBeLessThan(PRESSING_SHARE * kneeRad);
    expect(ahead()).toBeGreaterThan(0);
  } finally {
    await driver.close();
    rig.remove();
  }
});
