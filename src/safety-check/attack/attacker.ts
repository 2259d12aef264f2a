/** Adversarial policies that try to break the safety chain: each chooses the next command from the robot's measured state. */
import { type ActionSpec, ArmKinematics, type Rng, type RobotModel, TOOL_AXES } from '../../model/index.ts';
import type { ActionCommand } from '../../rows/index.ts';
import type { AdversaryName } from '../result.ts';
import type { Genome } from './genome.ts';

const POISON = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308, -1e308, 5e-324, -0] as const;
/** Number of commands for which the far start stays far. */
const FAR_COMMANDS = 5;
/** Size of a drift's requests, as a share of the action's range. */
const DRIFT = 0.25;
/** Time per corner of a drift: the way there, and long enough in it to lean out, s. */
export const CORNER_S = 6;

/** Options of an attacker. */
export interface AttackerOptions {
  readonly model: RobotModel;
  readonly action: ActionSpec;
  readonly name: AdversaryName;
  readonly rng: Rng;
  /** Nominal duration of one action, s. */
  readonly policyPeriodS: number;
  readonly leaseS: number;
  /** True if it also sets velocities behind the action map. */
  readonly isRaw: boolean;
  /** [n] natural frequencies of the servos with the arm's inertia, Hz, where known. */
  readonly naturalHz: readonly number[];
  /** Side of the wall along x, the first dimension, for a push into it. */
  readonly heading?: 1 | -1 | undefined;
  /** Actions to play, for the two climbers. */
  readonly genome?: Genome | undefined;
}

/** One attack on one robot. Its command is reused. */
export class Attacker {
  readonly command: ActionCommand;
  /** [n] velocities that `rawVelocity` requests of the stages behind the action map, rad/s. */
  readonly wantedRadPerS: Float64Array;
  /** True if nothing is sent in this tick. */
  isSilent = false;

  readonly #options: AttackerOptions;
  readonly #rng: Rng;
  readonly #arm: ArmKinematics;
  readonly #direction: Float64Array;
  readonly #sweepHz: Float64Array;
  readonly #phase: Float64Array;
  /** [A] joint of each dimension; −1 for cartesian ones. */
  readonly #slots: Int32Array;
  /** Index of the drift's present corner, from 0. */
  #corner = -1;

  constructor(options: AttackerOptions) {
    const { model, action, leaseS, rng } = options;
    const size = action.dimensions.length;
    this.#options = options;
    this.#rng = rng;
    this.#arm = new ArmKinematics(model);
    this.#direction = new Float64Array(size);
    this.#sweepHz = new Float64Array(size);
    this.#phase = new Float64Array(size);
    this.wantedRadPerS = new Float64Array(model.joints.length);
    this.#slots = Int32Array.from(action.dimensions, ({ name }) => {
      return action.kind === 'joint' ? model.joints.findIndex((joint) => joint.name === name) : -1;
    });
    const values = new Float64Array(size);
    this.command = { seq: 0, decider: 'policy', issuedAtS: 0, leaseS, policyVersion: 0, policyRun: 0, action: values };
    this.#turn(1);
    this.#tune();
  }

  /** Chooses a new command at `nowS` from the measured joints. */
  decide(nowS: number, positionRad: Float64Array, velocityRadPerS: Float64Array): void {
    const { command } = this;
    command.seq++;
    command.issuedAtS = nowS;
    this.#choose(nowS, positionRad, velocityRadPerS);
    this.#spoil(nowS);
  }

  /** Updates the per-tick state besides new commands: the request of `rawVelocity`, and whether anything is sent. */
  tick(velocityRadPerS: Float64Array): void {
    const { name, isRaw } = this.#options;
    this.isSilent = name === 'dropOuts' && this.#rng.uniform() < 0.05;
    if (isRaw) this.#wantAnything(velocityRadPerS);
  }

  #choose(nowS: number, positionRad: Float64Array, velocityRadPerS: Float64Array): void {
    const { name, genome } = this.#options;
    const { action } = this.command;
    if (name === 'drifting') {
      this.#drift(nowS);
      return;
    }
    if (this.#rng.uniform() < 0.03) this.#turn(0.5);
    switch (name) {
      case 'uniform':
      case 'replay':
        for (let i = 0; i < action.length; i++) action[i] = this.#rng.uniformIn(-1, 1);
        break;
      case 'bangBang':
      case 'deciders':
        for (let i = 0; i < action.length; i++) action[i] = this.#rng.uniform() < 0.5 ? -1 : 1;
        break;
      case 'alternating':
        for (let i = 0; i < action.length; i++) action[i] = this.command.seq % 2 === 0 ? 1 : -1;
        break;
      case 'pumping':
        this.#pump(positionRad, velocityRadPerS);
        break;
      case 'sweep':
        for (let i = 0; i < action.length; i++) {
          action[i] = Math.sin(2 * Math.PI * this.#sweepHz[i]! * nowS + this.#phase[i]!) >= 0 ? 1 : -1;
        }
        break;
      case 'climbMargin':
      case 'climbEnergy':
        genome?.play(action, nowS);
        break;
      case 'farStart':
        this.#startFar();
        break;
      default:
        for (let i = 0; i < action.length; i++) action[i] = this.#direction[i]!;
        if (this.#options.heading !== undefined) {
          action.fill(0);
          action[0] = this.#options.heading;
        }
    }
  }

  /** Pushes in phase with the robot's motion, once per half swing. */
  #pump(positionRad: Float64Array, velocityRadPerS: Float64Array): void {
    const { model, action: spec } = this.#options;
    const { action } = this.command;
    if (spec.kind === 'joint') {
      for (let i = 0; i < action.length; i++) action[i] = this.#inPhase(velocityRadPerS[this.#slots[i]!]!, i);
      return;
    }
    this.#arm.forward(positionRad);
    const jacobian = this.#arm.jacobian();
    const n = model.joints.length;
    for (const [i, { name }] of spec.dimensions.entries()) {
      const row = name === 'yaw' ? 5 : 'xyz'.indexOf(name);
      const beside = TOOL_AXES.includes(name) ? -1 : model.joints.findIndex((joint) => joint.name === name);
      let speed = beside < 0 ? 0 : velocityRadPerS[beside]!;
      for (let j = 0; beside < 0 && j < n; j++) speed += jacobian[row * n + j]! * velocityRadPerS[j]!;
      action[i] = this.#inPhase(speed, i);
    }
  }

  #inPhase(speed: number, i: number): number {
    if (Math.abs(speed) < 1e-3) return this.#direction[i]!;
    return Math.sign(speed);
  }

  /** Drifts slowly from corner to corner: the first two are far and low, where gravity loads the arm most, the others are random. */
  #drift(nowS: number): void {
    const { action } = this.command;
    const corner = Math.floor(nowS / CORNER_S);
    if (corner > this.#corner) {
      if (corner > 1) this.#turn(1);
      else this.#leanOut(corner);
      this.#corner = corner;
    }
    for (let i = 0; i < action.length; i++) action[i] = DRIFT * this.#direction[i]!;
  }

  /** Directs the drift away from the base along x, and down, on one side and then the other. */
  #leanOut(corner: number): void {
    const { model, action } = this.#options;
    if (action.kind !== 'cartesian') return;
    this.#arm.forward(model.homeRad);
    this.#direction.fill(0);
    this.#direction[0] = Math.sign(this.#arm.tcpPositionM[0]!) || 1;
    this.#direction[1] = corner === 0 ? 1 : -1;
    this.#direction[2] = -1;
  }

  /** Sends first targets that are too far from the robot, then ordinary ones. */
  #startFar(): void {
    const { action } = this.command;
    const size = this.command.seq <= FAR_COMMANDS ? this.#rng.uniformIn(0.7, 1) : this.#rng.uniformIn(0, 0.3);
    for (let i = 0; i < action.length; i++) action[i] = size * (this.#rng.uniform() < 0.5 ? -1 : 1);
  }

  /** Corrupts commands as transport or a bad policy may. */
  #spoil(nowS: number): void {
    const { command } = this;
    const { name, leaseS } = this.#options;
    if (name === 'deciders' && this.#rng.uniform() < 0.3) this.#switch();
    else if (this.#rng.uniform() < 0.01) this.#switch();
    if (name === 'poison' && this.#rng.uniform() < 0.1) {
      for (let i = 0; i < command.action.length; i++) {
        if (this.#rng.uniform() < 0.5) command.action[i] = POISON[this.#rng.int(POISON.length)]!;
      }
    }
    if (name === 'replay') this.#replay(nowS, leaseS);
  }

  /** Makes commands late, replayed, or from the future. */
  #replay(nowS: number, leaseS: number): void {
    const { command } = this;
    const draw = this.#rng.uniform();
    if (draw < 0.3) command.issuedAtS = nowS - leaseS * this.#rng.uniformIn(1.001, 5);
    else if (draw < 0.4) command.issuedAtS = nowS + this.#rng.uniformIn(0.011, 2);
    else if (draw < 0.5) command.seq = Math.max(0, command.seq - this.#rng.int(5));
    else if (draw < 0.55) command.issuedAtS = Number.NaN;
    // A NaN lease must not be accepted either; commands sent intact keep their own.
    command.leaseS = draw < 0.3 && this.#rng.uniform() < 0.3 ? Number.NaN : leaseS;
  }

  #switch(): void {
    const { command } = this;
    if (this.#options.name === 'deciders' && this.#rng.uniform() < 0.2) command.decider = 'hold';
    else command.decider = command.decider === 'policy' ? 'human' : 'policy';
  }

  #wantAnything(velocityRadPerS: Float64Array): void {
    const kind = this.#rng.int(6);
    for (let i = 0; i < this.wantedRadPerS.length; i++) {
      const limit = this.#options.model.joints[i]!.velocityMaxRadPerS;
      const toss = this.#rng.uniformIn(-1, 1);
      const held = this.#direction[i % this.#direction.length]!;
      let wanted = held * 1e9;
      if (kind === 1) wanted = 2 * limit * toss;
      else if (kind === 2) wanted = Math.sign(toss) * 1e300;
      else if (kind === 3 && velocityRadPerS[i] !== 0) wanted = Math.sign(velocityRadPerS[i]!) * 1e6;
      else if (kind === 4 && this.#rng.uniform() < 0.02) wanted = POISON[this.#rng.int(POISON.length)]!;
      this.wantedRadPerS[i] = wanted;
    }
  }

  /** Draws new signs for a share of the held directions. */
  #turn(share: number): void {
    for (let i = 0; i < this.#direction.length; i++) {
      if (this.#rng.uniform() < share) this.#direction[i] = this.#rng.uniform() < 0.5 ? -1 : 1;
      if (this.#direction[i] === 0) this.#direction[i] = 1;
    }
  }

  /** Draws sweep frequencies: near the servos' own, or any that a command can have. */
  #tune(): void {
    const { naturalHz, policyPeriodS } = this.#options;
    const fastest = 0.5 / policyPeriodS;
    for (let i = 0; i < this.#sweepHz.length; i++) {
      const own = naturalHz[this.#slots[i]!] ?? naturalHz[this.#rng.int(Math.max(1, naturalHz.length))];
      const any = 0.3 * (fastest / 0.3) ** this.#rng.uniform();
      const isOwn = own !== undefined && own > 0 && this.#rng.uniform() < 0.7;
      this.#sweepHz[i] = isOwn ? own * this.#rng.uniformIn(0.9, 1.1) : any;
      this.#phase[i] = this.#rng.uniformIn(0, 2 * Math.PI);
    }
  }
}
