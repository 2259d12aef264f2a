/**
 * The theorem of the energy tank (docs/safety-case.md), tried on MuJoCo's dynamics: whatever commands come, kinetic, gravity
 * and spring energy and the tank's content together never rise; the tank never falls below its floor; and commands never
 * have put in more than the tank held at the start and what dampers gave back.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ArmKinematics, Rng, type RobotModel, type TankModel } from '../../src/model/index.ts';
import type { PlantOptions } from '../../src/plant/mujoco.ts';
import { type CheckSubject, loadCheckSubject } from '../../src/robot-import/index.ts';
import { EnergyLedger } from '../../src/safety/tank/ledger.ts';
import {
  ENERGY_POLICIES,
  type EnergyPolicy,
  type LoopOptions,
  type LoopResult,
  runLoop,
  withNoise,
} from '../support/closed-loop.ts';
import { IS_LONG } from '../support/long.ts';

/** What the integration of the motion may seem to make, J. None was seen yet: all that integrates has damping to spare. */
const ROUNDING_J = 1e-6;
/** Below its floor the tank may be by rounding, J. */
const FLOOR_J = 1e-8;

const tank: TankModel = {
  startJ: 2,
  minJ: 0.1,
  maxJ: 4,
  powerMaxW: 80,
  recovery: 0.95,
  topUpW: 0,
  velocityFeedForward: false,
  delayTicks: 0,
};

interface Case {
  readonly policy: EnergyPolicy;
  readonly feedForward?: boolean;
  readonly delayTicks?: number;
  /** What the tank is told of it; the truth where absent. */
  readonly declaredTicks?: number;
  readonly seed?: number;
  /** What the tank is told of its readings, rad; the file's where absent. */
  readonly statedNoiseRad?: number;
  readonly loop?: Partial<LoopOptions>;
  readonly plant?: Partial<PlantOptions>;
  readonly tank?: Partial<TankModel>;
}

/** A wall in front of the tool, clear of it. */
function wallBefore(model: RobotModel): PlantOptions['wall'] {
  const arm = new ArmKinematics(model);
  arm.forward(model.homeRad);
  const [x = 0, y = 0, z = 0] = arm.tcpPositionM;
  return { pointM: [x + 0.12, y, z], normal: [-1, 0, 0] };
}

function runCase(subject: CheckSubject, given: Case): Promise<LoopResult> {
  const { policy, feedForward = false, delayTicks = 0, declaredTicks = delayTicks, seed = 1 } = given;
  const { statedNoiseRad } = given;
  const model: RobotModel = {
    ...(statedNoiseRad === undefined ? subject.model : withNoise(subject.model, statedNoiseRad)),
    // The tank is tried alone: what is clear of what is another test's business.
    collision: undefined,
    tank: { ...tank, velocityFeedForward: feedForward, delayTicks: declaredTicks, ...given.tank },
  };
  const rng = new Rng(seed);
  const n = model.joints.length;
  const swing = {
    hz: rng.uniformIn(0.5, 6),
    share: Array.from({ length: n }, () => rng.uniformIn(0.1, 1)),
    phaseRad: Array.from({ length: n }, () => rng.uniformIn(0, 2 * Math.PI)),
  };
  return runLoop(
    {
      file: subject.plantFile!,
      model,
      delayTicks,
      velocityFeedForward: feedForward,
      ...(policy === 'pushing' ? { wall: wallBefore(model) } : {}),
      ...given.plant,
    },
    { policy, ticks: 300, seed, swing, ...given.loop },
  );
}

/** The theorem for one run. */
function expectPassive(result: LoopResult, { startJ, minJ }: TankModel = tank): void {
  expect(result.surplusMaxJ).toBeLessThanOrEqual(ROUNDING_J);
  expect(result.spareMinJ).toBeGreaterThanOrEqual(-FLOOR_J);
  expect(result.netInjectedMaxJ).toBeLessThanOrEqual(startJ - minJ + ROUNDING_J);
}

const subjects = await Promise.all(['arm6', 'arm7'].map((name) => loadCheckSubject(name)));
const ALL_TURNS = [
  ...[0, 1, 2, 3].map((delayTicks) => ({ delayTicks, feedForward: false })),
  ...[0, 1, 2, 3].map((delayTicks) => ({ delayTicks, feedForward: true })),
];
/** Every delay and both kinds of servo once; all pairs in the long run. */
const turns = ALL_TURNS.filter(({ delayTicks, feedForward }) => IS_LONG || (delayTicks % 3 === 0) !== feedForward);

/** An encoder of so many bits, whose last bit may dither. */
const NOISE_12_BIT = (2 * Math.PI) / 2 ** 12;
const NOISE_17_BIT = (2 * Math.PI) / 2 ** 17;
const ALL_NOISY = (['uniform', 'dither', 'adverse'] as const).flatMap((sensor) =>
  [0, 1].flatMap((readingDelayTicks) => [
    { bits: 12, statedNoiseRad: NOISE_12_BIT, sensor, readingDelayTicks },
    { bits: 17, statedNoiseRad: NOISE_17_BIT, sensor, readingDelayTicks },
  ]),
);

/** Each sensor, each resolution and each delay at least once; all of them in the long run. */
const noisy = ALL_NOISY.filter((_, i) => IS_LONG || i % 5 === 0);

describe.each(subjects.slice(0, IS_LONG ? 2 : 1).map((subject) => ({ name: subject.model.name, subject })))(
  '$name in closed loop',
  (row) => {
    const { subject } = row;

    it.each(turns)(
      'is passive against every policy, delay $delayTicks ticks, feed-forward $feedForward',
      async (turn) => {
        const rng = new Rng(turn.delayTicks + (turn.feedForward ? 10 : 0));
        let travelRad = 0;
        for (const policy of ENERGY_POLICIES) {
          const result = await runCase(subject, {
            policy,
            ...turn,
            seed: rng.int(1e6),
            loop: { jitter: rng.uniform() < 0.4 ? 'wild' : 'none', dropOuts: rng.uniform() < 0.4 },
            plant: {
              payload: { scale: rng.uniformIn(0.5, 1.5) },
              frictionNm: rng.uniform() < 0.5 ? rng.uniformIn(0, 3) : 0,
            },
          });
          expectPassive(result);
          travelRad += result.travelRad;
        }
        // It is no tank that holds everything.
        expect(travelRad).toBeGreaterThan(1);
      },
    );

    it.each(noisy)(
      'is passive with encoders of $bits bits, $sensor, readings $readingDelayTicks ticks late',
      async ({ statedNoiseRad, sensor, readingDelayTicks }) => {
        const rng = new Rng(readingDelayTicks + Math.round(1e5 * statedNoiseRad));
        for (const policy of ENERGY_POLICIES) {
          const delayTicks = rng.int(2);
          const result = await runCase(subject, {
            policy,
            statedNoiseRad: statedNoiseRad,
            delayTicks,
            declaredTicks: delayTicks + readingDelayTicks,
            feedForward: rng.uniform() < 0.5,
            seed: rng.int(1e6),
            loop: {
              sensor,
              readingDelayTicks,
              jitter: rng.uniform() < 0.4 ? 'wild' : 'none',
              lostReadings: rng.uniform() < 0.3,
            },
            plant: { payload: { massKg: rng.uniformIn(0, 3) }, frictionNm: rng.uniformIn(0, 2) },
          });
          expectPassive(result);
        }
      },
    );

    it.each(['uniform', 'dither', 'adverse'] as const)(
      'gets nothing from a 12-bit encoder that stands still, %s',
      async (sensor) => {
        const loop = { sensor, ticks: 600, swing: { hz: 1, share: [], phaseRad: [] } } as const;
        const result = await runCase(subject, { policy: 'resting', statedNoiseRad: NOISE_12_BIT, loop });
        expectPassive(result);
        expect(result.creditedJ).toBe(0);
      },
    );

    it('is passive where servos go from one set-point to the next in steps, told as a delay of a tick', async () => {
      for (const policy of ['pumping', 'countering', 'pushing'] as const) {
        expectPassive(await runCase(subject, { policy, declaredTicks: 1, loop: { interpolation: 5 } }));
      }
    });

    it('is passive where readings are lost, and with weights that nobody compensates', async () => {
      for (const feedForward of [false, true]) {
        expectPassive(await runCase(subject, { policy: 'bangBang', feedForward, loop: { lostReadings: true } }));
        const loop = { lostReadings: true, dropOuts: true };
        expectPassive(await runCase(subject, { policy: 'pumping', feedForward, delayTicks: 2, loop }));
      }
      expectPassive(await runCase(subject, { policy: 'uniform', plant: { gravityCompensated: false } }));
      expectPassive(await runCase(subject, { policy: 'uniform', plant: { payload: { massKg: 1.5 } } }));
    });

    it('presses against a wall with no more than the tank paid for', async () => {
      const pushing = { policy: 'pushing', loop: { ticks: 400 } } as const;
      const held = await runCase(subject, pushing);
      const free = await runCase(subject, { ...pushing, loop: { ...pushing.loop, isTankOff: true } });
      expectPassive(held);
      expect(held.forceMaxN).toBeGreaterThan(5);
      expect(held.forceMaxN).toBeLessThan(0.5 * free.forceMaxN);
    });

    it.runIf(IS_LONG)('stays passive where somebody searches for the swing that moves it most', async () => {
      const rng = new Rng(5);
      let best = { hz: 1, share: subject.model.joints.map(() => 0.5), phaseRad: subject.model.joints.map(() => 0) };
      let bestJ = 0;
      let firstJ = 0;
      for (let attempt = 0; attempt < 16; attempt++) {
        const change = (value: number, by: number, low: number, high: number): number =>
          Math.min(high, Math.max(low, value + by * rng.normal()));
        const swing = {
          hz: change(best.hz, 0.7, 0.2, 12),
          share: best.share.map((value) => change(value, 0.4, -1, 1)),
          phaseRad: best.phaseRad.map((value) => value + rng.normal()),
        };
        const result = await runCase(subject, { policy: 'swinging', loop: { swing, ticks: 200 } });
        expectPassive(result);
        if (attempt === 0) firstJ = result.kineticMaxJ;
        if (result.kineticMaxJ > bestJ) [best, bestJ] = [swing, result.kineticMaxJ];
      }
      expect(bestJ).toBeGreaterThan(firstJ);
    });
  },
);

describe('the check bites', () => {
  afterEach(() => vi.restoreAllMocks());
  const [arm6] = subjects;

  it.each(['bangBang', 'pumping', 'pushing'] as const)('without a tank, %s', async (policy) => {
    const result = await runCase(arm6!, { policy, loop: { isTankOff: true } });
    expect(result.surplusMaxJ).toBeGreaterThan(1);
  });

  it('where the ledger books half of what goes out', async () => {
    const { debit } = EnergyLedger.prototype;
    vi.spyOn(EnergyLedger.prototype, 'debit').mockImplementation(function half(this: EnergyLedger, amountsJ, at) {
      const energyJ = amountsJ[at]!;
      debit.call(this, Float64Array.of(energyJ > 0 ? energyJ / 2 : energyJ), 0);
    });
    expect((await runCase(arm6!, { policy: 'pumping' })).surplusMaxJ).toBeGreaterThan(0.1);
  });

  it('where dampers are credited more than they took out', async () => {
    const { credit } = EnergyLedger.prototype;
    vi.spyOn(EnergyLedger.prototype, 'credit').mockImplementation(function twice(this: EnergyLedger, amountsJ, at) {
      credit.call(this, Float64Array.of(2 * amountsJ[at]!), 0);
    });
    expect((await runCase(arm6!, { policy: 'pumping' })).surplusMaxJ).toBeGreaterThan(0.1);
  });

  it('where the robot leads its set-points and the tank was not told', async () => {
    const result = await runCase(arm6!, {
      policy: 'bangBang',
      feedForward: true,
      tank: { velocityFeedForward: false },
    });
    expect(result.surplusMaxJ).toBeGreaterThan(0.1);
  });

  it.each(['uniform', 'dither'] as const)(
    'where a 12-bit encoder stands still and the tank takes it for exact, %s',
    async (sensor) => {
      const loop = { sensor, noiseRad: NOISE_12_BIT, ticks: 600 } as const;
      expect((await runCase(arm6!, { policy: 'resting', statedNoiseRad: 0, loop })).surplusMaxJ).toBeGreaterThan(1);
    },
  );

  it('where readings are off towards where the set-points go, and the tank takes them for exact', async () => {
    const loop = { sensor: 'adverse', noiseRad: NOISE_12_BIT, ticks: 600 } as const;
    const result = await runCase(arm6!, { policy: 'bangBang', statedNoiseRad: 0, loop });
    expect(result.surplusMaxJ).toBeGreaterThan(0.5);
    expect(result.netInjectedMaxJ).toBeGreaterThan(2 * tank.startJ);
  });

  it('where readings come late at ticks of any length, and the tank was not told', async () => {
    const late = { policy: 'bangBang', loop: { readingDelayTicks: 1, ticks: 600, jitter: 'wild' } } as const;
    expect((await runCase(arm6!, { ...late, declaredTicks: 0 })).surplusMaxJ).toBeGreaterThan(0.5);
    expectPassive(await runCase(arm6!, { ...late, declaredTicks: 1 }));
  });

  it('where servos have an integral term, which the books know nothing of', async () => {
    const result = await runCase(arm6!, { policy: 'pushing', loop: { ticks: 600, integralPerS: 2 } });
    expect(result.surplusMaxJ).toBeGreaterThan(10);
  });

  it('where references arrive late and the tank was not told', async () => {
    const late = { policy: 'countering', delayTicks: 3, tank: { recovery: 0.999 } } as const;
    const loop = { ticks: 600 };
    expect((await runCase(arm6!, { ...late, declaredTicks: 0, loop })).surplusMaxJ).toBeGreaterThan(0.01);
    expectPassive(await runCase(arm6!, { ...late, loop }));
  });
});
