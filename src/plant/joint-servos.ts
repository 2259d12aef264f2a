/** Drive of an arm: one servo per joint. */
import { servoLagS, servosLead } from '../model/index.ts';
import { type JointAddress, jointsOf } from './links.ts';
import type { Simulation } from './mujoco-module.ts';
import type { PlantOptions } from './plant-options.ts';

/** Converts references to motion, and motion to measured positions. */
export interface Drive {
  /** [n] set-point in effect. */
  readonly setPointRad: Float64Array;
  /** Places the robot at `positionRad`, at rest, with the references there. The simulation has been reset. */
  restAt(positionRad: ArrayLike<number>): void;
  /** Begins a period of `dtS` with this reference. */
  push(sentRad: ArrayLike<number>, dtS: number): void;
  /** Applies torques instead of references, N·m. Returns false if the robot has no such interface. */
  exert(torqueNm: ArrayLike<number>): boolean;
  /** Sets the references to the measured `positionRad`. */
  hold(positionRad: ArrayLike<number>): void;
  measure(positionRad: Float64Array, velocityRadPerS: Float64Array, torqueNm: Float64Array): void;
}

export class JointServos implements Drive {
  readonly setPointRad: Float64Array;
  readonly #simulation: Simulation;
  readonly #addresses: readonly JointAddress[];
  readonly #references: ServoReferences;
  #drives: 'servos' | 'motors' = 'servos';

  /** The simulation's actuators must be one servo per joint, in the model's order. */
  constructor(simulation: Simulation, options: PlantOptions) {
    const { model } = options;
    const leads = options.velocityFeedForward ?? servosLead(model);
    this.#simulation = simulation;
    this.#addresses = jointsOf(simulation, model);
    this.#references = new ServoReferences(
      model.joints.map((joint) => (leads ? servoLagS(joint) : 0)),
      1 / model.controlHz,
      options.delayTicks ?? 0,
    );
    this.setPointRad = this.#references.setPointRad;
  }

  restAt(positionRad: ArrayLike<number>): void {
    const { positionRad: positions, control } = this.#simulation.views;
    this.#be('servos');
    this.#references.restAt(positionRad);
    for (const [i, { position }] of this.#addresses.entries()) {
      positions[position] = positionRad[i]!;
      control[i] = positionRad[i]!;
    }
  }

  push(sentRad: ArrayLike<number>): void {
    this.#be('servos');
    this.#references.push(sentRad);
    this.#simulation.views.control.set(this.setPointRad);
  }

  exert(torqueNm: ArrayLike<number>): boolean {
    this.#be('motors');
    const { control, positionRad } = this.#simulation.views;
    for (let i = 0; i < this.#addresses.length; i++) {
      control[i] = torqueNm[i]!;
      // No spring is in effect: a later reference starts from the joint's position then.
      this.setPointRad[i] = positionRad[this.#addresses[i]!.position]!;
    }
    return true;
  }

  hold(positionRad: ArrayLike<number>): void {
    this.#be('servos');
    this.#references.restAt(positionRad);
  }

  measure(positionRad: Float64Array, velocityRadPerS: Float64Array, torqueNm: Float64Array): void {
    const views = this.#simulation.views;
    for (let i = 0; i < this.#addresses.length; i++) {
      const { position, dof } = this.#addresses[i]!;
      positionRad[i] = views.positionRad[position]!;
      velocityRadPerS[i] = views.velocityRadPerS[dof]!;
      torqueNm[i] = views.actuatorForce[i]!;
    }
  }

  #be(drives: 'servos' | 'motors'): void {
    if (this.#drives === drives) return;
    this.#drives = drives;
    this.#simulation.driveAs(drives);
    if (drives === 'servos') this.#references.restAt(this.setPointRad);
  }
}

/** Converts references to set-points in effect: transport delay and velocity feed-forward. No allocation after construction. */
class ServoReferences {
  /** [n] set-point in effect, rad. */
  readonly setPointRad: Float64Array;
  readonly #joints: number;
  /** [(delay + 1)·n] newest references, a ring buffer. */
  readonly #sent: Float64Array;
  readonly #last: Float64Array;
  /** [n] feed-forward per change of the reference: φ·d/(K·T). */
  readonly #perChange: Float64Array;
  #at = 0;

  /** `leadS` [n]: lead time of each servo on the reference's velocity, s (damping/stiffness, or 0); `periodS`: nominal. */
  constructor(leadS: ArrayLike<number>, periodS: number, delayTicks: number) {
    this.#joints = leadS.length;
    this.setPointRad = new Float64Array(this.#joints);
    this.#last = new Float64Array(this.#joints);
    this.#sent = new Float64Array((delayTicks + 1) * this.#joints);
    this.#perChange = Float64Array.from(leadS, (lead) => lead / periodS);
  }

  /** Resets to a reference that has always been `jointsRad`. */
  restAt(jointsRad: ArrayLike<number>): void {
    for (let i = 0; i < this.#joints; i++) {
      for (let k = i; k < this.#sent.length; k += this.#joints) this.#sent[k] = jointsRad[i]!;
      this.#last[i] = jointsRad[i]!;
      this.setPointRad[i] = jointsRad[i]!;
    }
  }

  /** Begins a period: `sentRad` is sent, and what was sent `delayTicks` periods ago takes effect. */
  push(sentRad: ArrayLike<number>): void {
    const n = this.#joints;
    for (let i = 0; i < n; i++) this.#sent[this.#at + i] = sentRad[i]!;
    this.#at = (this.#at + n) % this.#sent.length;
    for (let i = 0; i < n; i++) {
      // The oldest is overwritten next; without delay it is the one just written.
      const reached = this.#sent[this.#at + i]!;
      // s = r + φ·(d/K)·Δr/T
      this.setPointRad[i] = reached + this.#perChange[i]! * (reached - this.#last[i]!);
      this.#last[i] = reached;
    }
  }
}
