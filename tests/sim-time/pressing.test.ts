/** An arm on its emulated bus, an SO-101 where no other is named, whose policy pushes against something: within its caps that is a limit, and no fault. */
import { describe, expect, it } from 'vitest';
import { dynamixelFamily, feetechFamily } from '../../src/drivers/serial.ts';
import { activate, createActionCommand, lockStepGuard } from '../../src/guard/index.ts';
import type { MemoryGuardLink } from '../../src/guard/link/memory-link.ts';
import type { ActionCommand } from '../../src/rows/index.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { PRESS_SHARE } from '../../src/safety/limits/press-limit.ts';
import { jointSpec } from '../support/adversary.ts';
import { BusClock, type ServoRig, servoRig } from '../support/emulated-servos.ts';
import { faultRow } from '../support/fault-row.ts';
import { IS_LONG } from '../support/long.ts';

const [PAN, LIFT, ELBOW, WRIST] = [0, 1, 2, 3] as const;
const POLICY_TICKS = 5;
const MARGIN_RAD = 0.01;
/** Of a full action. */
const PUSH = 0.3;

const FAMILIES = { so101: feetechFamily, koch: dynamixelFamily, viperx: dynamixelFamily } as const;

class Pushing {
  readonly rig: ServoRig;
  readonly clock: BusClock;
  readonly link: MemoryGuardLink;
  readonly #command: ActionCommand;
  /** By joint: how far it goes at least, rad. */
  readonly stopRad: Float64Array;

  constructor(robot: keyof typeof FAMILIES = 'so101') {
    this.rig = servoRig({ robot, family: FAMILIES[robot] });
    this.clock = new BusClock(this.rig);
    const { driver: _, ...model } = this.rig.robot;
    this.#command = createActionCommand(model.joints.length);
    this.stopRad = new Float64Array(model.joints.length).fill(Number.NEGATIVE_INFINITY);
    const { driver, body } = this.rig;
    this.#command.decider = 'policy';
    this.#command.leaseS = 0.2;
    const { facts } = driver;
    const options = { driver, facts, model, action: jointSpec(model, 0.1), policyPeriodS: 0.1, clock: this.clock };
    this.link = lockStepGuard({ nodeIs: 'person', ...options });
    const step = body.step.bind(body);
    body.step = () => {
      step();
      for (const [i, stopRad] of this.stopRad.entries()) {
        if (body.positionRad[i]! >= stopRad) continue;
        body.positionRad[i] = stopRad;
        body.velocityRadPerS[i] = 0;
      }
    };
  }

  async activate(): Promise<void> {
    await this.rig.driver.open();
    this.rig.driver.service('passFirstMotion');
    await this.link.advance(2);
    expect(await this.link.request({ kind: 'enable' })).toEqual({ ok: true });
    await this.link.advance(2);
    this.rig.driver.service('passFirstMotion');
    expect(await activate(this.link)).toEqual({ ok: true });
  }

  /** What `joint` carries from now on, N·m. */
  load(joint: number, weightNm: number): void {
    const { body } = this.rig;
    const step = body.step.bind(body);
    body.step = () => {
      body.torqueNm[joint] = body.torqueNm[joint]! + weightNm;
      step();
    };
  }

  /** Dry friction that `joint` breaks loose from, N·m. */
  stick(joint: number, frictionNm: number): void {
    const { body } = this.rig;
    const step = body.step.bind(body);
    body.step = () => {
      const wasRad = body.positionRad[joint]!;
      const isStuck = Math.abs(body.torqueNm[joint]!) < frictionNm;
      step();
      if (!isStuck) return;
      body.positionRad[joint] = wasRad;
      body.velocityRadPerS[joint] = 0;
    };
  }

  /** Asks `joints` for `action` until `seconds` are over or the arm is no longer driven; how long that was. */
  async act(joints: readonly number[], action: number, seconds: number, each?: () => void): Promise<number> {
    const { link, clock } = this;
    const ticks = Math.round(seconds * this.rig.robot.controlHz);
    for (let tick = 0; tick < ticks; tick++) {
      if (tick % POLICY_TICKS === 0) {
        this.#command.seq++;
        this.#command.issuedAtS = clock.nowS();
        this.#command.action.fill(0);
        for (const joint of joints) this.#command.action[joint] = action;
        link.send(this.#command);
      }
      await link.advance(1);
      each?.();
      if (link.latest.state !== 'active.policy') return tick / this.rig.robot.controlHz;
    }
    return seconds;
  }

  get rows(): readonly number[] {
    return faultsOf(this.link.latest.faultFlags).map(({ row }) => row);
  }

  aheadRad(joint: number): number {
    return Math.abs(this.link.latest.referenceRad[joint]! - this.link.latest.robot.positionRad[joint]!);
  }

  async close(): Promise<void> {
    await this.rig.driver.close();
    this.rig.remove();
  }
}

const PRESSED = [LIFT, ELBOW, WRIST];

describe('an arm of bus servos whose policy goes on pushing', () => {
  it('presses within its caps for as long as it likes, and comes away again', async () => {
    const arm = new Pushing();
    const { joints } = arm.rig.robot;
    const torqueCapNm = arm.rig.driver.facts.torqueCapNm!;
    try {
      await arm.activate();
      for (const joint of PRESSED) arm.stopRad[joint] = arm.rig.body.positionRad[joint]! - 0.05;
      await arm.act(PRESSED, -PUSH, 1);
      let worst = 0;
      const pressedS = await arm.act(PRESSED, -PUSH, 2, () => {
        for (const joint of PRESSED) {
          const mostRad = (PRESS_SHARE * torqueCapNm[joint]!) / joints[joint]!.stiffnessNmPerRad;
          worst = Math.max(worst, arm.aheadRad(joint) - mostRad);
        }
      });
      expect([pressedS, arm.rows]).toEqual([2, []]);
      expect(worst).toBeLessThan(MARGIN_RAD);
      // It presses, and is not merely held back.
      expect(arm.aheadRad(LIFT)).toBeGreaterThan(0.02);
      expect([await arm.act(PRESSED, 0.5, 1.5), arm.rows]).toEqual([1.5, []]);
      for (const joint of PRESSED) expect(arm.rig.body.positionRad[joint]).toBeGreaterThan(arm.stopRad[joint]! + 0.1);
    } finally {
      await arm.close();
    }
  });

  faultRow(14, 'fake', 'one joint alone that pushes looks as one whose encoder has frozen', async (promised) => {
    const arm = new Pushing();
    try {
      await arm.activate();
      arm.stopRad[PAN] = arm.rig.body.positionRad[PAN]! - 0.02;
      const pressedS = await arm.act([PAN], -1, 5);
      expect(pressedS).toBeGreaterThan(promised('heldS'));
      expect(pressedS).toBeLessThan(2 * promised('heldS') + 0.5);
      expect(arm.rows).toContain(14);
    } finally {
      await arm.close();
    }
  });

  faultRow(14, 'fake', 'a servo whose own encoder freezes while the arm moves is stopped', async (promised) => {
    const arm = new Pushing();
    try {
      await arm.activate();
      await arm.act([PAN, ...PRESSED], -0.3, 0.4);
      arm.rig.bus.faultsOf(3)!.isFrozen = true;
      expect(await arm.act([PAN, ...PRESSED], -0.3, 3)).toBeLessThan(2 * promised('heldS'));
      expect(arm.rows).toContain(14);
    } finally {
      await arm.close();
    }
  });

  faultRow(14, 'fake', 'a weight on another joint is nothing that holds the tool', async (promised) => {
    const arm = new Pushing();
    try {
      await arm.activate();
      arm.load(LIFT, -0.72 * arm.rig.driver.facts.torqueCapNm![LIFT]!);
      await arm.act([PAN], -PUSH, 0.4);
      arm.rig.bus.faultsOf(1)!.isFrozen = true;
      expect(await arm.act([PAN], -PUSH, 3)).toBeLessThan(2 * promised('heldS'));
      expect(arm.rows).toContain(14);
    } finally {
      await arm.close();
    }
  });

  // Until then the joint may run as fast as its servo does: nothing else feels it.
  const FROZEN_GOES_RAD = 0.7;

  for (const [excuse, lean, weight] of [
    ['leans within its own friction', -0.05, 0],
    ['takes a weight meanwhile', 0, -0.72],
  ] as const)
    faultRow(14, 'fake', `another joint that ${excuse} excuses no frozen encoder`, async (promised) => {
      const arm = new Pushing();
      const { body, bus, driver } = arm.rig;
      try {
        await arm.activate();
        // Four times what an STS3215 has.
        if (lean !== 0) arm.stick(ELBOW, 0.2);
        await arm.act([PAN], -PUSH, 0.4);
        await arm.act([PAN, ELBOW], lean, 0.1);
        await arm.act([PAN], -PUSH, 0.4);
        const from = body.positionRad[PAN]!;
        bus.faultsOf(1)!.isFrozen = true;
        await arm.act([PAN], -PUSH, 0.1);
        if (weight !== 0) arm.load(LIFT, weight * driver.facts.torqueCapNm![LIFT]!);
        expect(await arm.act([PAN], -PUSH, 3)).toBeLessThan(2 * promised('heldS'));
        expect(arm.rows).toContain(14);
        expect(Math.abs(body.positionRad[PAN]! - from)).toBeLessThan(FROZEN_GOES_RAD);
      } finally {
        await arm.close();
      }
    });

  const SHARES_OF_CAP = IS_LONG ? [0.3, 0.52, 0.59, 0.65, 0.7, 0.78] : [0.65];
  for (const [robot, ids] of [
    ['so101', [2]],
    ['koch', [2]],
    ['viperx', [2, 3]],
  ] as const)
    faultRow(
      14,
      'fake',
      `a weight at the shoulder of ${robot}, which leaves it little to press with, hides no frozen encoder`,
      async () => {
        for (const share of SHARES_OF_CAP) {
          const arm = new Pushing(robot);
          const { body, bus, driver } = arm.rig;
          try {
            await arm.activate();
            arm.load(LIFT, -share * driver.facts.torqueCapNm![LIFT]!);
            await arm.act([], 0, 1);
            await arm.act([LIFT], PUSH, 0.3);
            const from = body.positionRad[LIFT]!;
            for (const id of ids) bus.faultsOf(id)!.isFrozen = true;
            expect(await arm.act([LIFT], PUSH, 6), `${share}`).toBeLessThan(1.5);
            expect(arm.rows).toContain(14);
            expect(Math.abs(body.positionRad[LIFT]! - from)).toBeLessThan(FROZEN_GOES_RAD);
          } finally {
            await arm.close();
          }
        }
      },
    );

  for (const [name, pauseS, joints] of [
    ['its key is let go', 0, []],
    ['nothing was asked of the arm for a while, and then something of another joint', 0.6, [PAN]],
  ] as const)
    it(`no longer goes back with a joint that it doubts once ${name}`, async () => {
      const arm = new Pushing();
      const { bus, driver, robot } = arm.rig;
      try {
        await arm.activate();
        arm.load(LIFT, -0.65 * driver.facts.torqueCapNm![LIFT]!);
        await arm.act([], 0, 1);
        await arm.act([LIFT], PUSH, 0.3);
        bus.faultsOf(2)!.isFrozen = true;
        let [mostRad, leftRad] = [0, 0];
        for (let step = 0; step < 20 && leftRad > mostRad - 0.003; step++) {
          await arm.act([LIFT], PUSH, 0.1);
          leftRad = arm.aheadRad(LIFT);
          mostRad = Math.max(mostRad, leftRad);
        }
        expect(leftRad).toBeLessThan(mostRad - 0.003);
        if (pauseS > 0) await arm.link.advance(Math.round(pauseS * robot.controlHz));
        else await arm.act([], 0, 0.1);
        leftRad = arm.aheadRad(LIFT);
        await arm.act(joints, PUSH, 0.6, () => expect(arm.aheadRad(LIFT)).toBeCloseTo(leftRad, 6));
        expect(arm.rows).toEqual([]);
      } finally {
        await arm.close();
      }
    });

  faultRow(
    14,
    'fake',
    'weights that take the tool far behind its reference hide no frozen encoder of the wrist',
    async () => {
      const wrist = 4;
      for (const share of IS_LONG ? [0.65, 0.7, 0.75, 0.8] : [0.65])
        for (const push of [0.1, -0.1]) {
          const arm = new Pushing('viperx');
          const { body, bus, driver } = arm.rig;
          try {
            await arm.activate();
            for (const joint of [LIFT, ELBOW]) arm.load(joint, share * driver.facts.torqueCapNm![joint]!);
            await arm.act([], 0, 2);
            const from = body.positionRad[wrist]!;
            bus.faultsOf(7)!.isFrozen = true;
            expect(await arm.act([wrist], push, 4), `${share} ${push}`).toBeLessThan(1.2);
            expect(arm.rows).toContain(14);
            expect(Math.abs(body.positionRad[wrist]! - from)).toBeLessThan(0.12);
          } finally {
            await arm.close();
          }
        }
    },
  );

  it.runIf(IS_LONG)(
    'holds a weight that it cannot lift for as long as it is asked to, and takes its encoder for none that has frozen',
    async () => {
      for (const weightNm of [1, 1.1, 1.15, 1.2]) {
        const arm = new Pushing();
        const { body } = arm.rig;
        try {
          await arm.activate();
          arm.stick(LIFT, 0.05);
          arm.load(LIFT, -weightNm);
          await arm.act([], 0, 1);
          const stoodRad = body.positionRad[LIFT]!;
          let sunkRad = 0;
          const heldS = await arm.act([LIFT], PUSH, 8, () => {
            sunkRad = Math.max(sunkRad, stoodRad - body.positionRad[LIFT]!);
          });
          expect([weightNm, heldS, arm.rows]).toEqual([weightNm, 8, []]);
          expect(sunkRad).toBeLessThan(0.02);
        } finally {
          await arm.close();
        }
      }
    },
  );

  it.runIf(IS_LONG)('presses under a weight too for as long as it likes', async () => {
    for (const weightNm of [0.5, 0.8, 1]) {
      const arm = new Pushing();
      try {
        await arm.activate();
        arm.load(LIFT, weightNm);
        for (const joint of PRESSED) arm.stopRad[joint] = arm.rig.body.positionRad[joint]! - 0.05;
        expect([weightNm, await arm.act(PRESSED, -PUSH, 4), arm.rows]).toEqual([weightNm, 4, []]);
      } finally {
        await arm.close();
      }
    }
  });

  it('carries a weight beyond that share without sinking on, and presses no harder', async () => {
    const arm = new Pushing();
    const { body } = arm.rig;
    try {
      await arm.activate();
      // Its own weight at full stretch, and 100 g.
      arm.load(LIFT, -1.3);
      await arm.act([], 0, 1);
      const standsRad = body.positionRad[LIFT]!;
      expect([await arm.act([], 0, 3), arm.rows]).toEqual([3, []]);
      expect(body.positionRad[LIFT]).toBeCloseTo(standsRad, 2);
      await arm.act([LIFT], PUSH, 1);
      expect(body.positionRad[LIFT]).toBeCloseTo(standsRad, 2);
    } finally {
      await arm.close();
    }
  });
});
