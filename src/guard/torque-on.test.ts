/**
 * Torque comes on at the robot's present pose, or not at all: whatever was read, requested and acknowledged before, in any order,
 * between any ticks.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { tried } from '../../tests/support/cases.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import {
  createDriverReport,
  type Driver,
  type DriverFacts,
  type DriverService,
  type DriverStatus,
  type Scene,
  type ServiceAnswer,
} from '../drivers/index.ts';
import { LockStepClock, type Vec } from '../model/index.ts';
import type { GuardRequest, RobotState } from '../rows/index.ts';
import { Guard } from './guard.ts';
import { createActionCommand } from './link/frames.ts';
import { MemoryGuardLink } from './link/memory-link.ts';

const PERIOD_S = 1 / ur5eLike.controlHz;
const JOINTS = ur5eLike.joints.length;
const action = jointSpec(ur5eLike, 0.02);

const READINGS = ['ok', 'jump', 'again', 'late', 'lost', 'nan', 'nanSpeed', 'moved', 'creep'] as const;
type Reading = (typeof READINGS)[number];
type Prepares = 'at once' | 'takes its time';
type Step = { readonly tick: Reading } | { readonly ask: GuardRequest['kind'] } | { readonly push: number };

/** An arm that a trial moves while it has no torque, with a reading that may differ. */
class FallingArm implements Driver {
  readonly facts: DriverFacts = {
    name: 'falling',
    jointNames: ur5eLike.joints.map(({ name }) => name),
    signalNames: [],
  };
  readonly report = createDriverReport();
  readonly scene: Scene;
  readonly #rad = Float64Array.from(ur5eLike.homeRad);
  readonly #seen = Float64Array.from(ur5eLike.homeRad);
  #reading: Reading = 'ok';
  #misplacedRad = 0;
  #stampS = 0;
  hasTorque = false;
  /** [n] positions of the last reading; NaN where not a number. */
  readonly said = new Float64Array(JOINTS);
  wasRead = false;
  onTorque: () => void = () => undefined;

  readonly #prepares: Prepares;

  constructor(prepares: Prepares) {
    this.#prepares = prepares;
    this.scene = {
      reset: ({ jointsRad }) => {
        this.wasRead = false;
        for (let i = 0; i < JOINTS; i++) this.#rad[i] = jointsRad[i]! + this.#misplacedRad;
      },
      geomPoses: () => undefined,
      geoms: [],
    };
  }

  say(reading: Reading, misplacedRad = 0): void {
    this.#reading = reading;
    this.#misplacedRad = misplacedRad;
  }

  takeNotice(): undefined {
    return undefined;
  }

  service(request: DriverService): ServiceAnswer {
    if (request !== 'prepare' || this.#prepares === 'at once') return 'nothing';
    this.#sag();
    return 'done';
  }

  /** Models seconds in which an arm without torque sinks between readings. */
  #sag(): void {
    for (let i = 0; i < JOINTS; i++) this.#rad[i] = this.#rad[i]! + 0.002;
    this.wasRead = false;
  }

  async open(): Promise<DriverFacts> {
    return this.facts;
  }

  async close(): Promise<void> {}

  torque(ratio: number): void {
    this.hasTorque = ratio > 0;
    if (ratio === 1) this.onTorque();
  }

  read(out: RobotState): DriverStatus {
    this.wasRead = false;
    const reading = this.#reading;
    // External motion of an arm without torque, faster than its own limits.
    if (reading === 'moved' && !this.hasTorque) for (let i = 0; i < JOINTS; i++) this.#rad[i] = this.#rad[i]! + 0.2;
    if (reading === 'creep' && !this.hasTorque) for (let i = 0; i < JOINTS; i++) this.#rad[i] = this.#rad[i]! + 0.01;
    if (reading === 'late' || reading === 'lost') return reading;
    if (reading !== 'again') this.#seen.set(this.#rad);
    out.positionRad.set(this.#seen);
    out.velocityRadPerS.fill(0);
    if (reading === 'jump') out.positionRad[1] = out.positionRad[1]! + 0.7;
    if (reading === 'nan') out.positionRad[2] = Number.NaN;
    if (reading === 'nanSpeed') out.velocityRadPerS[2] = Number.NaN;
    if (reading !== 'again') this.#stampS += PERIOD_S;
    out.measuredAtS = this.#stampS;
    this.said.set(out.positionRad);
    this.wasRead = reading !== 'nanSpeed';
    return 'ok';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    // A servo without lag.
    this.#rad.set(referenceRad);
    return 'ok';
  }
}

const anyReading = fc.oneof({ weight: 2, arbitrary: fc.constant<Reading>('ok') }, fc.constantFrom(...READINGS));
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: anyReading.map((tick) => ({ tick })) },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom<GuardRequest['kind']>(
        ...(['enable', 'acknowledge', 'activate', 'hold', 'stop', 'disable', 'resetScene', 'enable'] as const),
      )
      .map((ask) => ({ ask })),
  },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0.5, Number.NaN).map((push) => ({ push })) },
);

/** Runs `steps`; returns the deviation at each torque-on, rad. */
function gapsAt(steps: readonly Step[], misplacedRad: number, prepares: Prepares): readonly number[] {
  const clock = new LockStepClock(PERIOD_S);
  const driver = new FallingArm(prepares);
  let guard: Guard | undefined;
  const link = new MemoryGuardLink({
    nodeIs: 'person',
    shape: { joints: JOINTS, signals: 0, actions: JOINTS, controlHz: ur5eLike.controlHz },
    clock,
    createGuard: (port) => {
      guard = new Guard({ driver, facts: driver.facts, model: ur5eLike, action, policyPeriodS: 0.1, clock, port });
      return guard;
    },
  });
  const made = guard!;
  const gaps: number[] = [];
  const compare = (referenceRad: ArrayLike<number>): number => {
    if (!driver.wasRead) return Number.POSITIVE_INFINITY;
    let gap = 0;
    for (let i = 0; i < JOINTS; i++) {
      const each = Math.abs(referenceRad[i]! - driver.said[i]!);
      gap = Number.isNaN(each) ? Number.POSITIVE_INFINITY : Math.max(gap, each);
    }
    return gap;
  };
  // At the moment of torque-on, between two ticks.
  driver.onTorque = () => gaps.push(compare(made.referenceRad));
  const command = createActionCommand(JOINTS);
  for (const step of steps) {
    if ('tick' in step) {
      driver.say(step.tick, misplacedRad);
      clock.step();
      made.tick();
    } else if ('push' in step) {
      Object.assign(command, { seq: command.seq + 1, decider: 'policy', issuedAtS: clock.nowS(), leaseS: 0.2 });
      command.action.fill(step.push);
      link.send(command);
    } else if (step.ask === 'resetScene') {
      made.handle({ kind: 'resetScene', layout: { jointsRad: ur5eLike.homeRad, objects: {}, signals: {} } });
    } else made.handle({ kind: step.ask });
  }
  return gaps;
}

const ticks = (...readings: Reading[]): Step[] => readings.map((tick) => ({ tick }));
const asks = (...kinds: GuardRequest['kind'][]): Step[] => kinds.map((ask) => ({ ask }));

describe('torque', () => {
  it('never comes on with |reference − measured| > 0, nor without a believed reading of the same tick', () => {
    let cameOn = 0;
    fc.assert(
      fc.property(
        fc.array(anyStep, { minLength: 5, maxLength: 60 }),
        fc.constantFrom(0, 0.004, 0.3),
        fc.constantFrom('at once' as const, 'takes its time' as const),
        (steps, misplacedRad, prepares) => {
          const gaps = gapsAt(steps, misplacedRad, prepares);
          cameOn += gaps.length;
          expect(gaps.every((gap) => gap === 0)).toBe(true);
        },
      ),
      {
        numRuns: 400,
        examples: [
          // Moved by 0.3 rad: one reading that is not trusted yet.
          [[...ticks('ok', 'ok', 'moved'), ...asks('enable')], 0, 'at once'],
          // In fault, acknowledged and enabled between two ticks.
          [
            [
              ...ticks('ok'),
              ...asks('enable', 'activate'),
              ...ticks('nan', 'ok', 'ok', 'ok', 'moved'),
              ...asks('acknowledge', 'enable'),
            ],
            0,
            'at once',
          ],
          [[...asks('enable'), ...ticks('ok')], 0, 'at once'],
          [[...ticks('ok'), ...asks('resetScene', 'enable')], 0.3, 'at once'],
          [[...ticks('ok'), ...asks('enable')], 0, 'takes its time'],
          [[...ticks('ok', 'nanSpeed'), ...asks('acknowledge', 'enable')], 0, 'at once'],
        ],
      },
    );
    // The property is not vacuous.
    expect(cameOn).toBeGreaterThan(tried(100));
  });

  it('is refused with a sentence where this tick has no reading to be believed, and comes on with the next', () => {
    const outcome = gapsAt([...ticks('ok', 'ok', 'moved'), ...asks('enable'), ...ticks('ok')], 0, 'at once');
    expect(outcome).toEqual([]);
    const later = [...ticks('ok', 'late'), ...asks('enable'), ...ticks('ok'), ...asks('enable')];
    expect(gapsAt(later, 0, 'at once')).toEqual([0]);
  });
});
