/** Contact force between the robot and static objects, from MuJoCo's solver. */
import type { DoubleBuffer, MjContact } from '@mujoco/mujoco';
import type { Simulation } from './mujoco-module.ts';

/** Reads the contacts of the last physics step. Allocates only while there are contacts. */
export class ContactForce {
  readonly #simulation: Simulation;
  readonly #force: DoubleBuffer;
  /** By geom: 1 if it is static (bodies welded to the world, and mocap bodies). */
  readonly #stands: Uint8Array;
  /** By geom: 1 if contact with it carries the robot, and is no collision. */
  readonly #carries: Uint8Array;
  #isClosed = false;

  /** `carrying`: names of geoms that carry the robot, such as the floor under a car. */
  constructor(simulation: Simulation, carrying: readonly string[]) {
    this.#simulation = simulation;
    const { module, model } = simulation;
    this.#force = new module.DoubleBuffer(6);
    const welds = model.body_weldid as Int32Array;
    const mocaps = model.body_mocapid as Int32Array;
    this.#stands = Uint8Array.from(model.geom_bodyid as Int32Array, (body) =>
      welds[body] === 0 || mocaps[body]! >= 0 ? 1 : 0,
    );
    this.#carries = new Uint8Array(this.#stands.length);
    for (const name of carrying) this.#carries[simulation.id('geom', name)] = 1;
  }

  /** Returns the largest normal force between the robot and its surroundings, N; 0 without contact. */
  largestN(): number {
    const { module, model, data } = this.#simulation;
    if ((data.ncon as number) === 0) return 0;
    const contacts = data.contact;
    let largest = 0;
    for (let i = 0; i < contacts.size(); i++) {
      const contact = contacts.get(i)!;
      if (this.#isOutside(contact)) {
        module.mj_contactForce(model, data, i, this.#force);
        largest = Math.max(largest, Math.abs((this.#force.GetView() as Float64Array)[0]!));
      }
      // Copies in memory that is not garbage-collected.
      contact.delete();
    }
    contacts.delete();
    return largest;
  }

  /** Frees the memory. Idempotent; must not be used afterwards. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#force.delete();
  }

  #isOutside({ geom1, geom2 }: MjContact): boolean {
    const one = geom1 as number;
    const other = geom2 as number;
    if (one < 0 || other < 0 || this.#carries[one] === 1 || this.#carries[other] === 1) return false;
    return this.#stands[one] !== this.#stands[other];
  }
}
