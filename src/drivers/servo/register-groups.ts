/** Servos that one request reads or writes together: those whose registers stand at the same address. Tick path after construction. */
import type { Motor, ReadBlock } from './family.ts';
import { type Register, writeRegister } from './protocol.ts';
import type { ServoBus } from './servo-bus.ts';

/** Servos of the same block. */
export class ReadGroup {
  /** Places in the list of motors. */
  readonly motors: readonly number[];
  readonly block: ReadBlock;
  /** Of those that are asked, `asked` of them. */
  readonly ids: Uint8Array;
  readonly into: Uint8Array;
  asked = 0;
  readonly #allIds: Uint8Array;
  readonly #places: Int32Array;

  /** One group for each block that some of `motors` have. */
  static of(motors: readonly Motor[], blockOf: (motor: Motor) => ReadBlock): readonly ReadGroup[] {
    const groups = groupedBy(motors, (motor) => {
      const { address, bytes } = blockOf(motor);
      return `${address} ${bytes}`;
    });
    return groups.map((members) => new ReadGroup(motors, members, blockOf(motors[members[0]!]!)));
  }

  private constructor(motors: readonly Motor[], members: readonly number[], block: ReadBlock) {
    this.motors = members;
    this.block = block;
    this.#allIds = Uint8Array.from(members, (i) => motors[i]!.id);
    this.ids = new Uint8Array(members.length);
    this.#places = new Int32Array(members.length);
    this.into = new Uint8Array(members.length * block.bytes);
  }

  get address(): number {
    return this.block.address;
  }

  get bytes(): number {
    return this.block.bytes;
  }

  clear(): void {
    this.asked = 0;
  }

  /** Asks the `k`-th of `motors`. */
  ask(k: number): void {
    this.ids[this.asked] = this.#allIds[k]!;
    this.#places[this.asked++] = this.motors[k]!;
  }

  /** Place, in the list of motors, of the `k`-th that is asked. */
  askedMotor(k: number): number {
    return this.#places[k]!;
  }
}

/** Servos whose register of one name stands at the same address. */
export class WriteGroup {
  readonly #motors: readonly number[];
  readonly #register: Register;
  readonly #ids: Uint8Array;
  readonly #data: Uint8Array;
  readonly #isLittleEndian: boolean;

  /** One group for each address at which some of `motors` have it. */
  static of(
    motors: readonly Motor[],
    nameOf: (motor: Motor) => string,
    isLittleEndian: boolean,
  ): readonly WriteGroup[] {
    const registerOf = (motor: Motor): Register => motor.model.registers[nameOf(motor)]!;
    const groups = groupedBy(motors, (motor) => `${registerOf(motor).address} ${registerOf(motor).bytes}`);
    return groups.map((members) => new WriteGroup(motors, members, registerOf(motors[members[0]!]!), isLittleEndian));
  }

  private constructor(
    motors: readonly Motor[],
    members: readonly number[],
    register: Register,
    isLittleEndian: boolean,
  ) {
    this.#motors = members;
    this.#register = register;
    this.#ids = Uint8Array.from(members, (i) => motors[i]!.id);
    this.#data = new Uint8Array(members.length * register.bytes);
    this.#isLittleEndian = isLittleEndian;
  }

  /** Writes `numberOf(i)` to each of its motors. False: the port is gone, or takes nothing. */
  send(bus: ServoBus, numberOf: (motor: number) => number): boolean {
    const { bytes, address } = this.#register;
    for (let k = 0; k < this.#motors.length; k++) {
      writeRegister(this.#register, numberOf(this.#motors[k]!), this.#data, k * bytes, this.#isLittleEndian);
    }
    return bus.syncWrite(this.#ids, this.#ids.length, address, this.#data, bytes) === 'ok';
  }
}

function groupedBy(motors: readonly Motor[], keyOf: (motor: Motor) => string): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>();
  for (const [i, motor] of motors.entries()) {
    const key = keyOf(motor);
    groups.set(key, [...(groups.get(key) ?? []), i]);
  }
  return [...groups.values()];
}
