/** Policies that try to break the safety chain: each decides the next command from what it sees of the robot. */
import {
  type ActionCommand,
  type ActionSpec,
  ArmKinematics,
  type Rng,
  type RobotModel,
  TOOL_AXES,
} from '../../core/index.ts';
import type { AdversaryName } from '../result.ts';
import type { Genome } from './genome.ts';

const POISON = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308, -1e308, 5e-324, -0] as const;
/** The far start keeps far for so many commands. */
const FAR_COMMANDS = 5;
/** What a drift asks for, of the action. */
const DRIFT = 0.25;
/** One corner after the other: the way there, and long enough in it to lean out, s. */
export const CORNER_S = 6;

/** What an attacker is made of. */
export interface AttackerOptions {
  readonly model: RobotModel;
  readonly action: ActionSpec;
  readonly name: AdversaryName;
  readonly rng: Rng;
  /** Time that one action is meant to take, s. */
  readonly policyPeriodS: number;
  readonly leaseS: number;
  /** It also chooses velocities behind the action map. */
  readonly isRaw: boolean;
  /** [n] natural frequencies of the servos with the arm's inertia, Hz, where they are known. */
  readonly naturalHz: readonly number[];
  /** For a push into a wall: its side along x, the first dimension. */
  readonly heading?: 1 | -1 | undefined;
  /** For the two climbers: the actions to play. */
  readonly genome?: Genome | undefined;
}

/** One attack on one robot. Its command is reused. */
export class Attacker {
  readonly command: ActionCommand;
  /** [n] what `rawVelocity` asks of the stages behind the action map, rad/s. */
  readonly wantedRadPerS: Float64Array;
  /** Nothing is sent in this tick. */
  isSilent = false;

  readonly #options: AttackerOptions;
  readonly #rng: Rng;
  readonly #arm: ArmKinematics;
  readonly #direction: Float64Array;
  readonly #sweepHz: Float64Array;
  readonly #phase: Float64Array;
  /** [A] joint that each dimension moves; −1 for cartesian ones. */
  readonly #slots: Int32Array;
  /** Corner that a drift goes to, from 0. */
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

  /** A new command, at `nowS`, seeing the measured joints. */
  decide(nowS: number, positionRad: Float64Array, velocityRadPerS: Float64Array): void {
    const { command } = this;
    command.seq++;
    command.issuedAtS = nowS;
    this.#choose(nowS, positionRad, velocityRadPerS);
    this.#spoil(nowS);
  }

  /** What the tick sees, beside new commands: `rawVelocity`'s request, and whether anything was sent. */
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

  /** In phase with what the robot does: each half swing gets a push. */
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

  /** Slowly to a corner, and on: the first two are far and low, where weight pulls most, the others are as they come. */
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

  /** Away from the base along x, and down, on one side and on the other. */
  #leanOut(corner: number): void {
    const { model, action } = this.#options;
    if (action.kind !== 'cartesian') return;
    this.#arm.forward(model.homeRad);
    this.#direction.fill(0);
    this.#direction[0] = Math.sign(this.#arm.tcpPositionM[0]!) || 1;
    this.#direction[1] = corner === 0 ? 1 : -1;
    this.#direction[2] = -1;
  }

  /** First targets that are too far from the robot, then ordinary ones. */
  #startFar(): void {
    const { action } = this.command;
    const size = this.command.seq <= FAR_COMMANDS ? this.#rng.uniformIn(0.7, 1) : this.#rng.uniformIn(0, 0.3);
    for (let i = 0; i < action.length; i++) action[i] = size * (this.#rng.uniform() < 0.5 ? -1 : 1);
  }

  /** What happens to commands on their way, or in a bad policy. */
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

  /** Late, replayed, and from the future. */
  #replay(nowS: number, leaseS: number): void {
    const { command } = this;
    const draw = this.#rng.uniform();
    if (draw < 0.3) command.issuedAtS = nowS - leaseS * this.#rng.uniformIn(1.001, 5);
    else if (draw < 0.4) command.issuedAtS = nowS + this.#rng.uniformIn(0.011, 2);
    else if (draw < 0.5) command.seq = Math.max(0, command.seq - this.#rng.int(5));
    else if (draw < 0.55) command.issuedAtS = Number.NaN;
    // A lease of any length is not believed either; what is sent without trouble keeps its own.
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

  /** New signs for a share of the held directions. */
  #turn(share: number): void {
    for (let i = 0; i < this.#direction.length; i++) {
      if (this.#rng.uniform() < share) this.#direction[i] = this.#rng.uniform() < 0.5 ? -1 : 1;
      if (this.#direction[i] === 0) this.#direction[i] = 1;
    }
  }

  /** Frequencies to sweep with: the servos' own, or any that a command can have. */
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
