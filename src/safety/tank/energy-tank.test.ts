import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
import { springsJ } from '../../../tests/support/springs.ts';
import { times } from '../../../tests/support/times.ts';
import { Rng, type RobotModel, type TankModel } from '../../model/index.ts';
import { createRobotState, type RobotState } from '../../rows/index.ts';
import { TANK_HELD, TANK_SLOWED } from '../bits.ts';
import { brakeStep } from '../limits/brake.ts';
import { EnergyTank } from './energy-tank.ts';

const T = 0.01;
const full: TankModel = {
  startJ: 2,
  minJ: 0.1,
  maxJ: 4,
  powerMaxW: 80,
  recovery: 0.9,
  topUpW: 0,
  velocityFeedForward: false,
  delayTicks: 0,
};

function modelWith(changes: Partial<TankModel> = {}, limitRad = 100): RobotModel {
  const servo = { stiffnessNmPerRad: 100, dampingNmSPerRad: 2, torqueMaxNm: 30 };
  const limits = { positionMinRad: -limitRad, positionMaxRad: limitRad };
  return {
    ...oddArm3,
    controlHz: 100,
    joints: oddArm3.joints.map((joint) => ({ ...joint, ...servo, ...limits })),
    tank: { ...full, ...changes },
  };
}

/** The stage as the chain uses it, with a robot moved by the test. */
class Stand {
  readonly model: RobotModel;
  readonly tank: EnergyTank;
  readonly state: RobotState = createRobotState(3, 0);
  readonly reference: Float64Array = new Float64Array(3);
  readonly velocity: Float64Array = new Float64Array(3);
  readonly sent: Float64Array = new Float64Array(3);
  readonly q: Float64Array = new Float64Array(3);
  bits = 0;
  nowS = 1;

  constructor(changes: Partial<TankModel> = {}, limitRad = 100) {
    this.model = modelWith(changes, limitRad);
    this.tank = new EnergyTank(this.model, T / 2);
    this.tank.restAt(this.reference);
  }

  /** Runs a tick in which `u` is wanted, or, for null, no motion. */
  tick(u: readonly number[] | null, dtS = T, isSeen = true): number {
    this.nowS += dtS;
    if (isSeen) {
      this.state.positionRad.set(this.q);
      this.state.measuredAtS = this.nowS;
    }
    this.tank.begin(this.state, times(T, 0, dtS));
    this.bits = 0;
    const wanted = Float64Array.from(u ?? [0, 0, 0]);
    if (u === null) brakeStep(wanted, this.model, this.velocity, times(T));
    else {
      if (this.tank.isHeld) this.tank.rejoin(wanted, this.reference, times(T));
      // The limiter's share of the work.
      for (let i = 0; i < 3; i++) {
        const { accelMaxRadPerS2: most, velocityMaxRadPerS: fastest } = this.model.joints[i]!;
        const low = Math.max(this.velocity[i]! - most * T, -fastest);
        wanted[i] = Math.min(Math.max(wanted[i]!, low), this.velocity[i]! + most * T, fastest);
      }
      this.bits |= this.tank.limit(wanted, this.reference, this.velocity, times(T));
    }
    this.velocity.set(wanted);
    for (let i = 0; i < 3; i++) this.reference[i] = this.reference[i]! + wanted[i]! * T;
    this.bits |= this.tank.send(this.sent, this.reference, this.velocity, times(T), u !== null);
    return this.bits;
  }

  /** The robot follows the sent set-point by the share `share` per tick. */
  follow(share = 0.5): void {
    for (let i = 0; i < 3; i++) this.q[i] = this.q[i]! + share * (this.sent[i]! - this.q[i]!);
  }
}

describe('the energy tank', () => {
  it('lets what it can pay for pass untouched', () => {
    const stand = new Stand();
    for (let k = 0; k < 50; k++) {
      expect(stand.tick([0.1, -0.1, 0.2])).toBe(0);
      expect(stand.sent).toEqual(stand.reference);
      expect(stand.tank.scale).toBe(1);
      stand.follow();
    }
    expect(stand.tank.energyJ).not.toBe(2);
  });

  it('slows what costs too much, and books what is sent', () => {
    const stand = new Stand();
    // An obstacle holds the robot in place.
    let slowed = 0;
    for (let k = 0; k < 400; k++) {
      if ((stand.tick([1, 0.8, 2]) & TANK_SLOWED) !== 0) slowed++;
      expect(stand.sent).toEqual(stand.reference);
    }
    expect(slowed).toBeGreaterThan(100);
    expect(stand.tank.scale).toBeLessThan(1);
    expect(stand.tank.isEmpty).toBe(true);
    expect(stand.tank.energyJ).toBeGreaterThanOrEqual(0.1);
    expect(stand.tank.energyJ).toBeLessThan(0.25);
    expect(springsJ(stand.model, stand.sent, stand.q)).toBeCloseTo(2 - stand.tank.energyJ, 9);
    expect(stand.tank.margin).toBeCloseTo((stand.tank.energyJ - 0.1) / 3.9, 12);
  });

  it('lets an empty one be retreated from, and is well again when it has taken in enough', () => {
    const stand = new Stand();
    for (let k = 0; k < 400; k++) stand.tick([1, 0.8, 2]);
    expect(stand.tank.isEmpty).toBe(true);
    const before = stand.tank.energyJ;
    let ticks = 0;
    while (stand.tank.isEmpty && ticks < 300) {
      stand.tick([-1, -0.8, -2]);
      ticks++;
    }
    expect(ticks).toBeGreaterThan(1);
    expect(ticks).toBeLessThan(300);
    expect(stand.tank.energyJ).toBeGreaterThan(before);
    expect(stand.tank.margin).toBeGreaterThanOrEqual(0.1);
  });

  it('does not flicker between empty and well', () => {
    const stand = new Stand();
    let changes = 0;
    let was = false;
    for (let k = 0; k < 2000; k++) {
      stand.tick([1, 0.8, 2]);
      stand.follow(0.01);
      if (stand.tank.isEmpty !== was) changes++;
      was = stand.tank.isEmpty;
    }
    expect(changes).toBeLessThan(20);
  });

  it('injects no more power than it may, but for the brake', () => {
    const stand = new Stand({ powerMaxW: 1, startJ: 4 });
    for (let k = 0; k < 100; k++) {
      stand.tick([1, 0.8, 2]);
      expect(stand.tank.injectedJ).toBeLessThanOrEqual(1 * T + 1e-12);
    }
    expect(stand.tank.energyJ).toBeGreaterThan(1);
  });

  /** An external push uses up the energy reserved for the brake. */
  function pushed(changes: Partial<TankModel> = {}, limitRad = 100): Stand {
    const stand = new Stand({ startJ: 0.5, maxJ: 0.5, ...changes }, limitRad);
    for (let k = 0; k < 40; k++) {
      stand.tick([0.6, 0.4, 0.9]);
      stand.follow(0.9);
    }
    for (let i = 0; i < 3; i++) stand.q[i] = stand.q[i]! - 1.5;
    stand.tick([0.6, 0.4, 0.9]);
    return stand;
  }

  it('holds what is sent where not even the brake can be paid for, and the reference brakes lawfully', () => {
    const stand = pushed();
    expect(stand.bits & TANK_HELD).toBe(TANK_HELD);
    expect(stand.tank.isHeld).toBe(true);
    expect(stand.tank.scale).toBeLessThan(1);
    const sent = stand.sent.slice();
    let last = stand.velocity.slice();
    for (let k = 0; k < 60; k++) {
      expect(stand.tick(null)).toBe(TANK_HELD);
      for (let i = 0; i < 3; i++) {
        const change = Math.abs(stand.velocity[i]! - last[i]!);
        expect(change).toBeLessThanOrEqual(stand.model.joints[i]!.accelMaxRadPerS2 * T + 1e-12);
      }
      last = stand.velocity.slice();
      expect(stand.tank.energyJ).toBeGreaterThanOrEqual(0.1 - 1e-9);
    }
    // No command is followed: the reference stands, with the sent set-point behind it.
    expect([...stand.velocity]).toEqual([0, 0, 0]);
    expect(stand.sent).toEqual(sent);
    expect(stand.reference).not.toEqual(sent);
  });

  /** The robot is pushed ahead and the reference stops at once, which costs more than the tank holds. State 60 ticks later: */
  function stopped(limitRad: number): { readonly stand: Stand; readonly atRad: number } {
    const stand = new Stand({ startJ: 0.3, maxJ: 0.3, velocityFeedForward: true }, limitRad);
    for (let k = 0; k < 40; k++) {
      stand.tick([0.5, 0.5, 0.5]);
      stand.follow(1);
    }
    expect(stand.tank.isHeld).toBe(false);
    const atRad = stand.sent[0]!;
    const lead = (2 / 100) * 100;
    const setPoint = stand.sent.map((sent, i) => sent + lead * stand.velocity[i]! * T);
    stand.velocity.fill(0);
    stand.q.fill(2);
    let bookedJ = 0;
    for (let k = 0; k < 60; k++) {
      stand.tick(null);
      bookedJ += stand.tank.injectedJ;
    }
    // The sent set-point stands now, and so does the effective one.
    const costJ = springsJ(stand.model, stand.sent, stand.q) - springsJ(stand.model, setPoint, stand.q);
    expect(bookedJ).toBeCloseTo(costJ, 9);
    return { stand, atRad };
  }

  it('lets a hold run on into its own lead, but not beyond the joint limits, and books what that costs', () => {
    const free = stopped(100);
    const aheadRad = free.stand.sent[0]! - free.atRad;
    expect(aheadRad).toBeGreaterThan(1e-3);
    expect(free.stand.tank.energyJ).toBeGreaterThanOrEqual(0.1 - 1e-9);

    // The limit less the margin is a third of the way on. There the set-point moves back, even below the floor.
    const mostRad = free.atRad + aheadRad / 3;
    const { stand, atRad } = stopped(mostRad + oddArm3.limitMarginRad);
    expect(atRad).toBe(free.atRad);
    expect(stand.sent[0]).toBeCloseTo(mostRad, 12);
    expect(stand.tank.energyJ).toBeLessThan(0.1);
    // With energy released later it can pay again, and the two meet.
    stand.q.fill(0);
    for (let k = 0; k < 300; k++) {
      stand.tick([0, 0, 0]);
      stand.follow(0.1);
      expect(stand.sent[0]).toBeLessThanOrEqual(mostRad + 1e-12);
    }
    expect(stand.tank.isHeld).toBe(false);
    expect(stand.tank.energyJ).toBeGreaterThan(0.1);
  });

  it('brings the reference back to what was sent before anybody is followed again', () => {
    const stand = pushed();
    let ticks = 0;
    while (stand.tank.isHeld && ticks < 500) {
      stand.tick([0.6, 0.4, 0.9]);
      ticks++;
    }
    expect(ticks).toBeGreaterThan(5);
    expect(ticks).toBeLessThan(500);
    expect(stand.sent).toEqual(stand.reference);
    expect(stand.tank.energyJ).toBeGreaterThanOrEqual(0.1 - 1e-9);
  });

  it('lets what was sent follow a reference that was put elsewhere, slowly, and at once where that takes energy out', () => {
    const stand = new Stand();
    stand.reference.set([0.1, 0, 0]);
    stand.q.set([0.1, 0, 0]);
    stand.tank.referencePut(stand.reference);
    expect(stand.tank.isHeld).toBe(true);
    stand.tick(null);
    // No more than the joint's acceleration allows in one tick.
    expect(stand.sent[0]).toBeCloseTo(3 * T * T, 12);
    for (let k = 0; k < 400; k++) stand.tick(null);
    expect(stand.tank.isHeld).toBe(false);
    expect(stand.sent).toEqual(stand.reference);
    stand.tank.referencePut(stand.reference);
    expect(stand.tank.isHeld).toBe(false);
    // Moving the other way would cost energy: without a request it stays.
    stand.reference.set([0.2, 0, 0]);
    stand.tank.referencePut(stand.reference);
    for (let k = 0; k < 50; k++) stand.tick(null);
    expect(stand.tank.isHeld).toBe(true);
    expect(stand.sent[0]).toBeCloseTo(0.1, 12);
    // On request, and with energy to spare, the two meet.
    for (let k = 0; k < 400; k++) {
      stand.tick([0, 0, 0]);
      stand.follow();
    }
    expect(stand.tank.isHeld).toBe(false);
    expect(stand.sent[0]).toBeGreaterThan(0.1);
    expect(stand.sent[0]).toBeLessThan(0.2);
  });

  it('closes up on the straight way between the two', () => {
    const stand = new Stand();
    const to = [0.1, 0.02, -0.05];
    stand.reference.set(to);
    stand.q.set(to);
    stand.tank.referencePut(stand.reference);
    for (let k = 0; k < 20; k++) {
      stand.tick(null);
      for (let i = 1; i < 3; i++) expect(stand.sent[i]! / to[i]!).toBeCloseTo(stand.sent[0]! / to[0]!, 9);
    }
    expect(stand.sent[0]).toBeGreaterThan(1e-3);
    expect(stand.sent[0]).toBeLessThan(0.1);
  });

  it('tops up a robot at rest that nothing pulls at and nobody moves, and no other', () => {
    const stand = new Stand({ topUpW: 0.5 });
    for (let k = 0; k < 60; k++) {
      stand.tick([0.3, 0, 0]);
      stand.follow(0.3);
    }
    while (stand.tick(null) !== 0 || stand.velocity[0] !== 0) stand.follow(0.3);
    for (let k = 0; k < 50; k++) {
      stand.tick([0, 0, 0]);
      stand.follow(0.5);
    }
    expect(stand.tank.toppedUpJ).toBe(0);
    const before = stand.tank.energyJ;
    expect(before).toBeLessThan(2);
    stand.tick(null);
    stand.tick(null);
    expect(stand.tank.energyJ).toBeCloseTo(before + 2 * 0.5 * T, 12);
    expect(stand.tank.toppedUpJ).toBeCloseTo(0.5 * T, 12);
    expect(stand.tank.creditedJ).toBeCloseTo(0.5 * T, 12);
    for (let k = 0; k < 1000; k++) stand.tick(null);
    expect(stand.tank.energyJ).toBeCloseTo(2, 12);
    // After being pushed aside it is not topped up any more.
    stand.tank.referencePut(stand.reference);
    stand.q[0] = stand.q[0]! + 0.1;
    for (let k = 0; k < 20; k++) {
      stand.tick(null);
      expect(stand.tank.toppedUpJ).toBe(0);
    }
  });

  it('is refilled only when told to', () => {
    const stand = new Stand();
    for (let k = 0; k < 400; k++) stand.tick([1, 0.8, 2]);
    stand.tank.restAt(stand.reference);
    expect(stand.tank.energyJ).toBeLessThan(0.3);
    stand.tank.refill();
    expect(stand.tank.energyJ).toBe(2);
    expect(stand.tank.isEmpty).toBe(false);
  });

  it('takes a reading that is repeated, broken or far out for none', () => {
    for (const break_ of [
      (stand: Stand) => stand.tick([0.5, 0.5, 0.5], T, false),
      (stand: Stand) => {
        stand.q[1] = Number.NaN;
        return stand.tick([0.5, 0.5, 0.5]);
      },
      (stand: Stand) => {
        stand.q[1] = 1e9;
        return stand.tick([0.5, 0.5, 0.5]);
      },
    ]) {
      const stand = new Stand();
      stand.tick([0.5, 0.5, 0.5]);
      break_(stand);
      // The largest possible cost: τ_max·|Δs|.
      const most = stand.velocity.reduce((sum, u) => sum + 30 * Math.abs(u) * T, 0);
      expect(stand.tank.injectedJ).toBeCloseTo(most, 12);
    }
    const stand = new Stand();
    stand.tank.begin(createRobotState(2, 0), times(T));
    expect(stand.tank.creditedJ).toBe(0);
  });

  it('credits a tick that came late for the time that it took, not for the longest that the chain takes it for', () => {
    const stand = new Stand();
    stand.tick(null);
    stand.q[0] = 0.1;
    const { energyJ } = stand.tank;
    // For the spring under load: the least energy dissipated by its damper, d·(Δq)²/t.
    stand.tick(null, 5 * T);
    for (let k = 0; k < 20; k++) stand.tick(null);
    expect(stand.tank.energyJ - energyJ).toBeCloseTo((full.recovery! * 2 * 0.1 ** 2) / (5 * T), 12);
  });

  it('refuses a robot without a tank', () => {
    expect(() => new EnergyTank(oddArm3, T / 2)).toThrow(RangeError);
  });

  it('theorem: whatever comes, it stays between floor and brim, and has paid for all that was put in', () => {
    const shape = fc.record({
      velocityFeedForward: fc.boolean(),
      delayTicks: fc.constantFrom(0, 0, 1, 3),
      recovery: fc.double({ min: 0, max: 0.99, noNaN: true }),
      topUpW: fc.constantFrom(0, 0.5),
      startJ: fc.double({ min: 0.1, max: 4, noNaN: true }),
      seed: fc.integer(),
      jump: fc.constantFrom(0, 0.05, 0.5),
    });
    fc.assert(
      fc.property(shape, ({ seed, jump, ...changes }) => {
        const stand = new Stand(changes);
        const rng = new Rng(seed);
        const { joints } = stand.model;
        const lead = changes.velocityFeedForward ? (2 / 100) * 100 : 0;
        const setPoint = new Float64Array(3);
        const before = new Float64Array(3);
        let real = 0;
        let back = 0;
        let leastJ = Number.POSITIVE_INFINITY;
        let mostJ = 0;
        let unpaidJ = 0;
        let areFinite = true;
        for (let tick = 0; tick < 150; tick++) {
          const broken = rng.uniform() < 0.03;
          const isSeen = rng.uniform() < 0.95;
          // Between two readings its position is between them: here, constant.
          for (let i = 0; i < 3 && isSeen && !broken; i++) {
            stand.q[i] = stand.q[i]! + 0.3 * (stand.sent[i]! - stand.q[i]!) + rng.uniformIn(-jump, jump) * 0.1;
            if (rng.uniform() < 0.02) stand.q[i] = stand.q[i]! + rng.uniformIn(-jump, jump);
          }
          const keep = stand.q[0]!;
          if (broken) stand.q[0] = rng.uniform() < 0.5 ? Number.NaN : Number.POSITIVE_INFINITY;
          if (rng.uniform() < 0.01) {
            stand.reference.set(stand.q.map((each) => (Number.isFinite(each) ? each : 0)));
            stand.velocity.fill(0);
            stand.tank.referencePut(stand.reference);
          }
          const dtS = rng.uniform() < 0.2 ? T * rng.uniformIn(0, 4) : T;
          const isSilent = rng.uniform() < 0.1;
          stand.tick(
            isSilent ? null : joints.map(({ velocityMaxRadPerS: v }) => rng.uniformIn(-v, v)),
            rng.uniform() < 0.02 ? Number.NaN : dtS,
            isSeen,
          );
          if (Number.isNaN(stand.nowS)) stand.nowS = tick + 2;
          stand.q[0] = keep;
          // Without delay, the injected energy is known here.
          const s = stand.sent.map((each, i) => each + lead * (each - before[i]!));
          real += springsJ(stand.model, s, stand.q) - springsJ(stand.model, setPoint, stand.q);
          setPoint.set(s);
          before.set(stand.sent);
          back += stand.tank.creditedJ;
          leastJ = Math.min(leastJ, stand.tank.energyJ);
          mostJ = Math.max(mostJ, stand.tank.energyJ);
          areFinite &&= stand.sent.every(Number.isFinite);
          unpaidJ = Math.max(unpaidJ, real - back);
        }
        expect(leastJ).toBeGreaterThanOrEqual(0.1 - 2e-9);
        expect(mostJ).toBeLessThanOrEqual(4);
        expect(areFinite).toBe(true);
        if (changes.delayTicks === 0) expect(unpaidJ).toBeLessThanOrEqual(changes.startJ - 0.1 + 1e-7);
      }),
      { numRuns: 300 },
    );
  });

  it('exactly: from every state of a grid of whole numbers, every push and step is booked to the last unit', () => {
    // K = 2, so that U = e² and all energies are whole numbers: no rounding hides anything, and a property of one step
    // from every state holds for every order of steps.
    const joints = oddArm3.joints.map((joint) => ({ ...joint, stiffnessNmPerRad: 2, torqueMaxNm: 1e6 }));
    const places = [-2, -1, 0, 1, 2];
    const sent = new Float64Array(3);
    const state = createRobotState(3, 0);
    let paid = 0;
    let held = 0;
    for (let startJ = 0; startJ <= 12; startJ++) {
      const tank = { ...full, minJ: 0, startJ, maxJ: 12, recovery: 0 };
      const stage = new EnergyTank({ ...oddArm3, controlHz: 100, joints, tank }, T / 2);
      for (const from of places) {
        for (const q of places) {
          for (const to of places) {
            stage.refill();
            stage.restAt([from, 0, 0]);
            state.positionRad[0] = q;
            state.measuredAtS++;
            stage.begin(state, times(T));
            stage.send(sent, Float64Array.of(to, 0, 0), new Float64Array(3), times(T), true);
            const cost = (to - q) ** 2 - (from - q) ** 2;
            if (cost <= startJ) {
              paid++;
              if (sent[0] !== to || stage.energyJ !== Math.min(12, startJ - cost))
                expect([from, q, to, startJ]).toBe('paid');
            } else {
              held++;
              const isBetween = Math.min(from, to) <= sent[0]! && sent[0]! <= Math.max(from, to) && sent[0] !== to;
              if (!isBetween || stage.energyJ < 0 || stage.energyJ > 1e-7) expect([from, q, to, startJ]).toBe('held');
            }
          }
        }
      }
    }
    expect(paid).toBeGreaterThan(1000);
    expect(held).toBeGreaterThan(100);
  });
});
