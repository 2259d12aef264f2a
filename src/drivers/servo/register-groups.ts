/** Groups of servos that one request reads or writes: those with registers at the same address. Tick path after construction. */
import type { Motor, ReadBlock } from './family.ts';
import { type BulkItem, type Register, writeRegister } from './protocol.ts';
import type { ServoBus } from './servo-bus.ts';

/** Servos with the same block. */
export class ReadGroup {
  /** Indices in the list of motors. */
  readonly motors: readonly number[];
  readonly block: ReadBlock;
  /** Ids that are read, the first `asked` of them. */
  readonly ids: Uint8Array;
  into: Uint8Array;
  asked = 0;
  readonly #allIds: Uint8Array;
  readonly #places: Int32Array;

  /** Returns one group for each distinct block of `motors`. */
  static of(motors: readonly Motor[], blockOf: (motor: Motor) => ReadBlock): readonly ReadGroup[] {
    const groups = groupedBy(motors, (motor) => {
      const { address, bytes } = blockOf(motor);
      return `${address} ${bytes}`;
    });
    return groups.map((members) => new ReadGroup(motors, members, blockOf(motors[members[0]!]!)));
  }

  /** Returns a bulk request for everything that `groups` read, and its buffer, of which each group gets a part. */
  static bulk(groups: readonly ReadGroup[]): { readonly items: readonly BulkItem[]; readonly into: Uint8Array } {
    const into = new Uint8Array(groups.reduce((sum, group) => sum + group.into.length, 0));
    let at = 0;
    for (const group of groups) {
      group.into = into.subarray(at, at + group.into.length);
      at += group.into.length;
    }
    const items = groups.flatMap((group) =>
      group.motors.map((_, k): BulkItem => ({ id: group.#allIds[k]!, address: group.address, bytes: group.bytes })),
    );
    return { items, into };
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

  /** Adds the `k`-th of `motors` to the request. */
  ask(k: number): void {
    this.ids[this.asked] = this.#allIds[k]!;
    this.#places[this.asked++] = this.motors[k]!;
  }

  /** Returns the motor index of the `k`-th servo in the request. */
  askedMotor(k: number): number {
    return this.#places[k]!;
  }
}

/** Servos with the named register at the same address. */
class WriteGroup {
  readonly #motors: readonly number[];
  readonly #register: Register;
  readonly #allIds: Uint8Array;
  /** Ids that are written to, the first `#count` of them. */
  readonly #ids: Uint8Array;
  readonly #data: Uint8Array;
  #count = 0;
  readonly #isLittleEndian: boolean;
  readonly #takes: Uint8Array;

  /** Returns one group for each distinct address of the register. */
  static of(
    motors: readonly Motor[],
    nameOf: (motor: Motor) => string,
    isLittleEndian: boolean,
    takes: Uint8Array,
  ): readonly WriteGroup[] {
    const registerOf = (motor: Motor): Register => motor.model.registers[nameOf(motor)]!;
    const groups = groupedBy(motors, (motor) => `${registerOf(motor).address} ${registerOf(motor).bytes}`);
    return groups.map(
      (members) => new WriteGroup(motors, members, registerOf(motors[members[0]!]!), isLittleEndian, takes),
    );
  }

  private constructor(
    motors: readonly Motor[],
    members: readonly number[],
    register: Register,
    isLittleEndian: boolean,
    takes: Uint8Array,
  ) {
    this.#takes = takes;
    this.#motors = members;
    this.#register = register;
    this.#allIds = Uint8Array.from(members, (i) => motors[i]!.id);
    this.#ids = new Uint8Array(members.length);
    this.#data = new Uint8Array(members.length * register.bytes);
    this.#isLittleEndian = isLittleEndian;
  }

  /** Bulk items, one per motor, with the values last filled in for all. */
  get items(): readonly BulkItem[] {
    const { address, bytes } = this.#register;
    return [...this.#allIds].map((id, k): BulkItem => {
      return { id, address, bytes, data: this.#data.subarray(k * bytes, (k + 1) * bytes) };
    });
  }

  /** Prepares `numberOf(i)` for sending to each of its motors that takes it. */
  fill(numberOf: (motor: number) => number): void {
    const { bytes } = this.#register;
    this.#count = 0;
    for (let k = 0; k < this.#motors.length; k++) {
      const motor = this.#motors[k]!;
      if (this.#takes[motor] !== 1) continue;
      this.#ids[this.#count] = this.#allIds[k]!;
      writeRegister(this.#register, numberOf(motor), this.#data, this.#count * bytes, this.#isLittleEndian);
      this.#count++;
    }
  }

  /** Returns false if the port is gone or does not accept the request. */
  send(bus: ServoBus): boolean {
    const { bytes, address } = this.#register;
    return bus.syncWrite(this.#ids, this.#count, address, this.#data, bytes) === 'ok';
  }
}

/** Writes one named register of several motors, in one request if possible. Tick path after construction. */
export class RegisterWrite {
  readonly #groups: readonly WriteGroup[];
  readonly #items: readonly BulkItem[];

  readonly #isForAll: boolean;

  /** `takes` ([n]): 1 for motors that are written to, evaluated at each `send`; absent: all. */
  constructor(motors: readonly Motor[], nameOf: (motor: Motor) => string, isLittleEndian: boolean, takes?: Uint8Array) {
    this.#isForAll = takes === undefined;
    this.#groups = WriteGroup.of(motors, nameOf, isLittleEndian, takes ?? new Uint8Array(motors.length).fill(1));
    this.#items = this.#groups.flatMap(({ items }) => items);
  }

  /** Writes `numberOf(i)` to each motor that takes it. Returns false if the port is gone or does not accept the request. */
  send(bus: ServoBus, numberOf: (motor: number) => number): boolean {
    const groups = this.#groups;
    for (let g = 0; g < groups.length; g++) groups[g]!.fill(numberOf);
    if (groups.length > 1 && bus.isBulk && this.#isForAll) return bus.bulkWrite(this.#items) === 'ok';
    let isWritten = true;
    for (let g = 0; g < groups.length; g++) isWritten = groups[g]!.send(bus) && isWritten;
    return isWritten;
  }
}

/** Reads one block of each of several motors, in one request if possible. Tick path after construction. */
export class BlockRead {
  readonly #groups: readonly ReadGroup[];
  readonly #bulk: ReturnType<typeof ReadGroup.bulk>;

  constructor(motors: readonly Motor[], blockOf: (motor: Motor) => ReadBlock) {
    this.#groups = ReadGroup.of(motors, blockOf);
    this.#bulk = ReadGroup.bulk(this.#groups);
    for (const group of this.#groups) for (let k = 0; k < group.motors.length; k++) group.ask(k);
  }

  /**
   * Reads until `deadlineS`. Returns the first motor without answer, or whose bytes, from `at` in its group, fail `isRight`; else −1.
   */
  firstWrong(
    bus: ServoBus,
    deadlineS: number,
    isRight: (motor: number, group: ReadGroup, at: number) => boolean,
  ): number {
    bus.until[0] = deadlineS;
    const wrong = this.#firstWrong(bus, isRight);
    bus.until[0] = Number.POSITIVE_INFINITY;
    return wrong;
  }

  #firstWrong(bus: ServoBus, isRight: (motor: number, group: ReadGroup, at: number) => boolean): number {
    const groups = this.#groups;
    const isBulk = groups.length > 1 && bus.isBulk;
    if (isBulk) bus.bulkRead(this.#bulk.items, this.#bulk.into);
    for (let g = 0; g < groups.length; g++) {
      const group = groups[g]!;
      if (!isBulk) bus.syncRead(group.ids, group.asked, group.address, group.bytes, group.into);
      for (let k = 0; k < group.asked; k++) {
        const motor = group.askedMotor(k);
        if (!bus.hasAnswered(group.ids[k]!) || !isRight(motor, group, k * group.bytes)) return motor;
      }
    }
    return -1;
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
