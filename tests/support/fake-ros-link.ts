/** A robot behind ROS as the driver sees it, on a clock of its own, on which one control period passes at each look, or on the guard's. */

import {
  COMMAND,
  COMMAND_KIND,
  PULSE,
  type RosAnswer,
  type RosDriverOptions,
  type RosLink,
  type RosRequest,
  STATE,
  stateLayout,
  stateNumbers,
} from '../../src/drivers/index.ts';
import type { CommandInterface } from '../../src/drivers/ros/options.ts';
import type { Clock, RobotModel } from '../../src/model/index.ts';
import { FakeClock } from './fake-clock.ts';

/** Options for `model` behind `interfaceName`, as a robot's file gives them. */
export function rosOptions(
  model: RobotModel,
  interfaceName: CommandInterface = 'position',
  more: Partial<RosDriverOptions> = {},
): RosDriverOptions {
  const jointNames = model.joints.map((joint) => joint.name);
  return {
    jointNames,
    rosJointNames: jointNames,
    signalNames: [],
    command: {
      interface: interfaceName,
      topic: 'commands',
      frameId: 'base',
      leadS: [0],
      gainPerS: 10,
      horizonPeriods: 2,
      effortStop: 'zero',
      wheelbaseM: 0.3,
      steeringMaxRad: 0.5,
    },
    state: { kind: 'jointStates', topic: 'joint_states' },
    signals: [],
    freshnessMs: 25,
    minimumRateHz: 50,
    ...more,
  };
}

/** Follows position commands at once; torque off, it stays. Faults on demand. */
export class FakeRosLink implements RosLink {
  readonly clock: Clock;
  readonly #ownClock: FakeClock = new FakeClock(1_000_000_000n);
  readonly commands: number[][] = [];
  readonly pulses: number[] = [];
  /** How long the newest pulse is valid, s. */
  pulseValidS = 0;
  /** The steering angle that the newest pulse tells, rad. */
  pulseSteeringRad = 0;
  readonly asked: RosRequest[] = [];
  /** How long the newest answer would have been waited for, ms. */
  askedForMs = 0;
  answer: RosAnswer = { ok: true };
  life = 1;
  isSilent = false;
  isBridgeSilent = false;
  /** Two tell of the joints, or another controller has them. */
  isUnfit = false;
  hasStopper = true;
  /** How often the other process has stopped it. */
  stops = 0;
  reads = true;
  obeysStops = true;
  wrench: readonly number[] = [0, 0, 0, 0, 0, 0];
  /** When it came; 0: never. */
  wrenchAtS = 0;
  signals: readonly number[] = [];
  /** Until when they are new; 0: none is expected. */
  signalsValidUntilS = 0;
  /** When the distance of people among them came; 0: never. */
  distanceAtS = 0;
  readonly positionRad: Float64Array;
  /** Measured with it. */
  readonly velocityRadPerS: Float64Array;
  /** Another controller has the joints: commands come and go unheard. */
  isElsewhere = false;
  readonly #model: RobotModel;
  readonly #options: RosDriverOptions;
  readonly #row: Float64Array;
  #isOpen = false;

  constructor(model: RobotModel, options: RosDriverOptions, clock?: Clock) {
    this.clock = clock ?? this.#ownClock;
    this.#model = model;
    this.#options = options;
    this.#row = new Float64Array(stateNumbers(options));
    this.positionRad = Float64Array.from(model.homeRad);
    this.velocityRadPerS = new Float64Array(model.homeRad.length);
  }

  async open(): Promise<void> {
    this.#isOpen = true;
  }

  generation(): number {
    return this.life;
  }

  isStopperReady(): boolean {
    return this.hasStopper;
  }

  stopsPast(): number {
    return this.stops;
  }

  takeState(row: Float64Array): boolean {
    if (!this.#isOpen) return false;
    this.#ownClock.advanceMs(1e3 / this.#model.controlHz);
    if (this.isBridgeSilent) return false;
    const nowS = this.clock.nowS();
    const layout = stateLayout(this.positionRad.length, this.#options.signals.length);
    this.#row[STATE.generation] = this.life;
    this.#row[STATE.sentAtS] = nowS;
    this.#row[STATE.wrenchAtS] = this.wrenchAtS;
    this.#row[STATE.unfit] = this.isUnfit ? 1 : 0;
    this.#row[STATE.distanceAtS] = this.distanceAtS;
    this.#row[STATE.signalsValidUntilS] = this.signalsValidUntilS;
    if (!this.isSilent) {
      this.#row[STATE.measuredAtS] = nowS;
      this.#row.set(this.positionRad, layout.positionRad);
      this.#row.set(this.velocityRadPerS, layout.velocityRadPerS);
      this.#row.set(this.wrench, layout.wrench);
      this.#row.set(this.signals, layout.signals);
    }
    row.set(this.#row);
    return true;
  }

  send(row: Float64Array): boolean {
    if (!this.reads) return false;
    this.commands.push([...row]);
    if (row[COMMAND.kind] === COMMAND_KIND.stop && this.obeysStops) this.#row[STATE.stoppedSeq] = row[COMMAND.seq]!;
    const isDriven = row[COMMAND.kind] === COMMAND_KIND.drive && !this.isElsewhere;
    if (isDriven && this.#options.command.interface === 'position') {
      this.positionRad.set(row.subarray(COMMAND.scalars));
    }
    return true;
  }

  pulse(row: Float64Array): boolean {
    this.pulses.push(row[PULSE.kind]!);
    this.pulseValidS = row[PULSE.validForS]!;
    this.pulseSteeringRad = row[PULSE.steeringRad]!;
    return true;
  }

  ask(request: RosRequest, timeoutMs: number): RosAnswer {
    this.asked.push(request);
    this.askedForMs = timeoutMs;
    if (request.kind === 'resetScene' && this.answer.ok) this.positionRad.set(request.layout.jointsRad);
    return this.answer;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
  }
}
