/** What a family of bus servos says on the wire, and what its models' registers mean, as data and pure functions. */

/** A register of a servo's control table. */
export interface Register {
  /** First address. */
  readonly address: number;
  readonly bytes: 1 | 2 | 4;
  /** How a negative value is written: two's complement, or this bit for the sign. Absent: there is none. */
  readonly sign?: 'twosComplement' | { readonly bit: number } | undefined;
  /** What one count is, in `unit`; absent: bits or a plain number. */
  readonly scale?: number | undefined;
  /** Unit of a scaled value, e.g. `A`, `V`, `C`, `rad/s`, `1` for a ratio. */
  readonly unit?: string | undefined;
  /** Kept without power. Writing it wants torque off, and on some families an unlocked memory. */
  readonly isStored?: boolean | undefined;
  readonly isReadOnly?: boolean | undefined;
}

/** Registers that every family has under these names, where the model has them at all; the rest have names of their own. */
export type ControlTable = Readonly<Record<string, Register>>;

/** What has to stand in a stored register, or in some bits of it, for readings, goals and protection to mean what they mean here. */
export interface StoredRule {
  readonly register: string;
  /** Which of its bits are looked at; absent: the whole number. */
  readonly bits?: number;
  /** What they may be, both included. */
  readonly least: number;
  readonly most: number;
  /** What should stand there. */
  readonly wanted: number;
  /** `motion`: what is read, or what goals do, is something else, and the servo is not driven. */
  readonly changes: 'motion' | 'protection';
  /** What follows where another value stands, as a sentence without its end. */
  readonly consequence: string;
}

/** One model of servo. */
export interface ServoModel {
  /** As robot files name it, e.g. `sts3215`. */
  readonly name: string;
  /** What `modelNumber` reads. */
  readonly modelNumber: number;
  /** Counts of a turn of the horn. */
  readonly countsPerTurn: number;
  /** Greatest count that a goal may have, where that is not one turn's. */
  readonly goalMaxCounts?: number;
  /** Name and version of the manufacturer's document that the table is from. */
  readonly document: string;
  readonly registers: ControlTable;
  /** Firmware versions that the table is known to hold for, both included; others are reported. */
  readonly firmware?: readonly [least: number, most: number] | undefined;
  /** Torque at full load, N·m, at the voltage that the document names. */
  readonly stallTorqueNm: number;
}

/**
 * Called for each intact status of one servo. `bytes` from `at`, `count` of them, are its parameters, in a buffer that is used again.
 * `error`: the family's error bits.
 */
export type OnStatus = (id: number, error: number, bytes: Uint8Array, at: number, count: number) => void;

/** Finds status packets in a stream of bytes. Bounded memory, no throw, whatever comes. */
export interface StatusReader {
  /** Bytes that were part of no intact packet, and packets with a wrong checksum, so far. */
  readonly skippedBytes: number;
  readonly checksumErrors: number;
  /** Takes `bytes` from `from` to `to` (excluded). Tick path. */
  push(bytes: Uint8Array, from: number, to: number): void;
  /**
   * Nothing more comes of what is held: whole packets in it, behind a header that was none or a length that lied, are handed out, the rest
   * is dropped, and what comes next begins a packet. `chained`: the next packet may be a chain of as many parts, of so many
   * parameter bytes each (Dynamixel's fast sync read).
   */
  restart(chained?: number): void;
}

/** What one servo is asked for, or told, in a bulk request. */
export interface BulkItem {
  readonly id: number;
  readonly address: number;
  /** To read, or of `data` to write. */
  readonly bytes: number;
  readonly data?: Uint8Array;
}

/** Writes requests into `out` from 0 on, and returns how many bytes they have. Tick path. */
export interface ServoProtocol {
  readonly family: string;
  /** Register values: lowest byte first, or highest (Feetech SCS). */
  readonly isLittleEndian: boolean;
  /** Most bytes of one request, and of one status. */
  readonly maxPacketBytes: number;
  /** A status with so many parameter bytes has so many bytes in all. */
  statusBytes(parameters: number): number;
  /** `undefined` where each servo answers a sync read with a status of its own; else the bytes of the one status that all share. */
  chainedBytes?(servos: number, parameters: number): number;
  ping(out: Uint8Array, id: number): number;
  read(out: Uint8Array, id: number, address: number, bytes: number): number;
  /** Answered by the servo. `data` from `at`. */
  write(out: Uint8Array, id: number, address: number, data: Uint8Array, at: number, bytes: number): number;
  /** One request, and each of the first `count` of `ids` answers in this order. Absent: the models have none, and are read one by one. */
  syncRead?(out: Uint8Array, ids: Uint8Array, count: number, address: number, bytes: number): number;
  /** Not answered. `data`: `bytes` a servo, in the order of `ids`. */
  syncWrite(out: Uint8Array, ids: Uint8Array, count: number, address: number, data: Uint8Array, bytes: number): number;
  /** One request for blocks that stand elsewhere in each servo; they answer in this order. Absent: one request for each block. */
  bulkRead?(out: Uint8Array, items: readonly BulkItem[]): number;
  /** The same for what is written; not answered. */
  bulkWrite?(out: Uint8Array, items: readonly BulkItem[]): number;
  /** Not answered. */
  reboot?(out: Uint8Array, id: number): number;
  createReader(onStatus: OnStatus): StatusReader;
  /**
   * Whether a packet is `request` itself, which comes back from adapters on one wire: `surely` where no servo can answer so, `maybe` where
   * one might, byte for byte. Absent: its reader tells requests from answers. Tick path.
   */
  echoOf?(request: Uint8Array, id: number, error: number, bytes: Uint8Array, at: number, count: number): Echo;
}

export type Echo = 'surely' | 'maybe' | 'no';

/** The number in a register of `data` whose first byte stands at `at`. Tick path. */
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

/** Least and greatest number that a register can hold. */
export function rangeOf({ sign, bytes }: Register): readonly [number, number] {
  if (sign === undefined) return [0, 256 ** bytes - 1];
  const most = sign === 'twosComplement' ? 256 ** bytes / 2 - 1 : 2 ** sign.bit - 1;
  return [sign === 'twosComplement' ? -most - 1 : -most, most];
}

/** Writes `value`, a whole number that the register can hold, at `at`. Tick path. */
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
