/** Wire protocol of a bus servo family, and meaning of its models' registers, as data and pure functions. */

/** A register of a servo's control table. */
export interface Register {
  /** First address. */
  readonly address: number;
  readonly bytes: 1 | 2 | 4;
  /** Encoding of negative values: two's complement, or this sign bit. Absent: unsigned. */
  readonly sign?: 'twosComplement' | { readonly bit: number } | undefined;
  /** Value of one count, in `unit`; absent: bits or a plain number. */
  readonly scale?: number | undefined;
  /** Unit of a scaled value, e.g. `A`, `V`, `C`, `rad/s`, `1` for a ratio. */
  readonly unit?: string | undefined;
  /** Non-volatile. Writing it requires torque off, and in some families an unlocked memory. */
  readonly isStored?: boolean | undefined;
  readonly isReadOnly?: boolean | undefined;
}

/** Registers by name. A register that several families have goes by the same name in each; the others have names of their own. */
export type ControlTable = Readonly<Record<string, Register>>;

/** Requirement on a stored register, or on some of its bits, for readings, goals and protection to mean what this program assumes. */
export interface StoredRule {
  readonly register: string;
  /** Bits that are checked; absent: the whole number. */
  readonly bits?: number;
  /** Permitted range, inclusive. */
  readonly least: number;
  readonly most: number;
  /** Value that should be stored. */
  readonly wanted: number;
  /** `motion`: violations change the meaning of readings or goals, and the servo is not driven. */
  readonly changes: 'motion' | 'protection';
  /** Consequence of another value, as a sentence without full stop. */
  readonly consequence: string;
}

/** One model of servo. */
export interface ServoModel {
  /** Name in robot files, e.g. `sts3215`. */
  readonly name: string;
  /** Value of the register `modelNumber`. */
  readonly modelNumber: number;
  /** Counts per turn of the horn. */
  readonly countsPerTurn: number;
  /** Largest goal, counts, if not that of one turn. */
  readonly goalMaxCounts?: number;
  /** Name and version of the manufacturer's document with this table. */
  readonly document: string;
  readonly registers: ControlTable;
  /** Firmware versions for which the table is known to hold, inclusive; others are reported. */
  readonly firmware?: readonly [least: number, most: number] | undefined;
  /** Torque at full load, N·m, at the voltage given in the document. */
  readonly stallTorqueNm: number;
}

/**
 * Called for each intact status of one servo. Its parameters are `count` bytes of `bytes` from `at`; the buffer is
 * reused. `error`: error bits of the family.
 */
export type OnStatus = (id: number, error: number, bytes: Uint8Array, at: number, count: number) => void;

/** Parser of status packets in a byte stream. Bounded memory; never throws, whatever the input. */
export interface StatusReader {
  /** Counts of bytes outside intact packets, and of packets with a wrong checksum. */
  readonly skippedBytes: number;
  readonly checksumErrors: number;
  /** Takes `bytes` from `from` to `to` (excluded). Tick path. */
  push(bytes: Uint8Array, from: number, to: number): void;
  /**
   * Ends the pending input: complete packets in it, after a false header or a wrong length, are delivered, the rest is
   * dropped, and the next byte begins a packet. `chained`: the next packet may be a chain with one part per servo, of
   * this many parameter bytes each (Dynamixel's fast sync read).
   */
  restart(chained?: number): void;
}

/** Request to one servo within a bulk request. */
export interface BulkItem {
  readonly id: number;
  readonly address: number;
  /** Number of bytes to read, or to write from `data`. */
  readonly bytes: number;
  readonly data?: Uint8Array;
}

/** Writes requests into `out` from 0 on, and returns their length in bytes. Tick path. */
export interface ServoProtocol {
  readonly family: string;
  /** Byte order of register values: little-endian, or big-endian (Feetech SCS). */
  readonly isLittleEndian: boolean;
  /** Largest size of a request or status, bytes. */
  readonly maxPacketBytes: number;
  /** Returns the size of a status with this many parameter bytes. */
  statusBytes(parameters: number): number;
  /** Returns the size of the one status that all servos share in a sync read. Absent: each servo answers with its own status. */
  chainedBytes?(servos: number, parameters: number): number;
  ping(out: Uint8Array, id: number): number;
  read(out: Uint8Array, id: number, address: number, bytes: number): number;
  /** Answered by the servo. `data` is read from `at`. */
  write(out: Uint8Array, id: number, address: number, data: Uint8Array, at: number, bytes: number): number;
  /** One request, answered by each of the first `count` of `ids` in this order. Absent: no sync read, servos are read one by one. */
  syncRead?(out: Uint8Array, ids: Uint8Array, count: number, address: number, bytes: number): number;
  /** Not answered. `data`: `bytes` per servo, in the order of `ids`. */
  syncWrite(out: Uint8Array, ids: Uint8Array, count: number, address: number, data: Uint8Array, bytes: number): number;
  /** One request for blocks at different addresses; servos answer in this order. Absent: one request per block. */
  bulkRead?(out: Uint8Array, items: readonly BulkItem[]): number;
  /** Bulk write; not answered. */
  bulkWrite?(out: Uint8Array, items: readonly BulkItem[]): number;
  /** Not answered. */
  reboot?(out: Uint8Array, id: number): number;
  createReader(onStatus: OnStatus): StatusReader;
  /**
   * Compares a packet with `request`, which adapters on one wire echo: `surely` if no servo can answer so, `maybe` if
   * one might, byte for byte. Absent: the reader tells requests from answers. Tick path.
   */
  echoOf?(request: Uint8Array, id: number, error: number, bytes: Uint8Array, at: number, count: number): Echo;
}

export type Echo = 'surely' | 'maybe' | 'no';

/** Returns the value of a register in `data`, whose first byte is at `at`. Tick path. */
export function readRegister(register: Register, data: Uint8Array, at: number, isLittleEndian: boolean): number {
  let raw = 0;
  for (let i = 0; i < register.bytes; i++) {
    raw = raw * 256 + data[isLittleEndian ? at + register.bytes - 1 - i : at + i]!;
  }
  const { sign } = register;
  if (sign === undefined) return raw;
  if (sign === 'twosComplement') {
    const turn = 256 ** register.bytes;
    return raw >= turn / 2 ? raw - turn : raw;
  }
  const bit = 2 ** sign.bit;
  return Math.floor(raw / bit) % 2 === 1 ? -(raw - bit) : raw;
}

/** Returns the smallest and largest value that a register can hold. */
export function rangeOf({ sign, bytes }: Register): readonly [number, number] {
  if (sign === undefined) return [0, 256 ** bytes - 1];
  const most = sign === 'twosComplement' ? 256 ** bytes / 2 - 1 : 2 ** sign.bit - 1;
  return [sign === 'twosComplement' ? -most - 1 : -most, most];
}

/** Writes `value`, an integer in the range of the register, at `at`. Tick path. */
export function writeRegister(
  register: Register,
  value: number,
  data: Uint8Array,
  at: number,
  isLittleEndian: boolean,
): void {
  const { sign } = register;
  let raw = value;
  if (value < 0) {
    raw = sign === 'twosComplement' ? value + 256 ** register.bytes : -value + (sign === undefined ? 0 : 2 ** sign.bit);
  }
  for (let i = 0; i < register.bytes; i++) {
    data[isLittleEndian ? at + i : at + register.bytes - 1 - i] = raw % 256;
    raw = Math.floor(raw / 256);
  }
}
