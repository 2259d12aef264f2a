/**
 * Packets of VESC motor controllers: start (2 or 3, which is also how many bytes come before the payload), length, payload,
 * CRC-16/XMODEM of the payload, stop (3); numbers highest byte first. Source: the firmware, github.com/vedderb/bldc 7.01, `comm/packet.c`,
 * `comm/commands.c`, `util/buffer.c`, `datatypes.h`.
 */

/** First byte of a payload (COMM_PACKET_ID). */
export const COMMAND = {
  firmware: 0,
  getValues: 4,
  setDuty: 5,
  setCurrent: 6,
  setBrake: 7,
  setRpm: 8,
  setServo: 12,
  alive: 30,
  getSelected: 50,
  getImu: 65,
} as const;

const START_SHORT = 2;
const START_LONG = 3;
const STOP = 3;
/** The longest payload that the firmware makes (PACKET_MAX_PL_LEN). */
export const MAX_PAYLOAD_BYTES = 512;
/** Start, length, CRC and stop of a packet with a length of one byte. */
export const OVERHEAD_BYTES = 5;
/** A packet with a length of two bytes has one more, and a payload from this length on. */
const LONG_FROM_BYTES = 255;
const CRC_POLYNOMIAL = 0x1021;

const CRC_TABLE: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ CRC_POLYNOMIAL;
  return crc & 0xffff;
});

/** CRC-16/XMODEM of the bytes from `from` up to `to` (excluded). Tick-safe. */
export function crc16(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0;
  for (let i = from; i < to; i++) crc = ((crc << 8) & 0xff00) ^ CRC_TABLE[(crc >> 8) ^ bytes[i]!]!;
  return crc;
}

/**
 * Begins a packet at `at` of `out` whose payload begins with `command` and has `bytes` further bytes, at most 254 in all. They are written from
 * the returned place on, and `endPacket` ends it. Tick-safe, as all that follows.
 */
export function beginPacket(out: Uint8Array, at: number, command: number, bytes: number): number {
  out[at] = START_SHORT;
  out[at + 1] = 1 + bytes;
  out[at + 2] = command;
  return at + 3;
}

/** Ends the packet that began at `at` and whose payload ends before `end`. Returns where the next may begin. */
export function endPacket(out: Uint8Array, at: number, end: number): number {
  const crc = crc16(out, at + 2, end);
  out[end] = crc >> 8;
  out[end + 1] = crc & 0xff;
  out[end + 2] = STOP;
  return end + 3;
}

/** A packet without data: `firmware`, `getValues`, `alive`. */
export function writeCommand(out: Uint8Array, at: number, command: number): number {
  return endPacket(out, at, beginPacket(out, at, command, 0));
}

function writeInt32(out: Uint8Array, at: number, command: number, value: number): number {
  const data = beginPacket(out, at, command, 4);
  return endPacket(out, at, putInt(out, data, 4, value));
}

/** Share of the battery's voltage, −1 to 1. 0 shorts the motor. */
export function writeDuty(out: Uint8Array, at: number, ratio: number): number {
  return writeInt32(out, at, COMMAND.setDuty, Math.round(ratio * 1e5));
}

/** Motor current, A; 0 lets it coast. */
export function writeCurrent(out: Uint8Array, at: number, currentA: number): number {
  return writeInt32(out, at, COMMAND.setCurrent, Math.round(currentA * 1e3));
}

/** Current against whatever way it turns, A. */
export function writeBrake(out: Uint8Array, at: number, currentA: number): number {
  return writeInt32(out, at, COMMAND.setBrake, Math.round(currentA * 1e3));
}

/** Electrical turns a minute: those of the motor times its pole pairs. */
export function writeRpm(out: Uint8Array, at: number, erpm: number): number {
  return writeInt32(out, at, COMMAND.setRpm, Math.round(erpm));
}

/** Where the servo output stands, 0 (a pulse of 1 ms) to 1 (2 ms). */
export function writeServo(out: Uint8Array, at: number, position: number): number {
  const data = beginPacket(out, at, COMMAND.setServo, 2);
  return endPacket(out, at, putInt(out, data, 2, Math.round(position * 1e3)));
}

/** Asks for the fields of `VALUES` whose bits are in `mask`. */
export function writeGetSelected(out: Uint8Array, at: number, mask: number): number {
  return writeInt32(out, at, COMMAND.getSelected, mask);
}

/** Asks for the numbers of `IMU` whose bits are in `mask`. */
export function writeGetImu(out: Uint8Array, at: number, mask: number): number {
  const data = beginPacket(out, at, COMMAND.getImu, 2);
  return endPacket(out, at, putInt(out, data, 2, mask));
}

/** Puts the lowest `bytes` of a whole number at `at`; returns the place behind it. */
export function putInt(out: Uint8Array, at: number, bytes: number, value: number): number {
  for (let i = 0; i < bytes; i++) out[at + i] = (value >> (8 * (bytes - 1 - i))) & 0xff;
  return at + bytes;
}

/** A whole number of 1, 2 or 4 bytes at `at`; those of one byte have no sign. */
export function getInt(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) value = (value << 8) | bytes[at + i]!;
  return count === 2 ? (value << 16) >> 16 : value;
}

/** One value of COMM_GET_VALUES. */
interface ValueField {
  readonly name: string;
  readonly bytes: 1 | 2 | 4;
  /** Counts of one unit. */
  readonly scale: number;
}

function field(name: string, bytes: ValueField['bytes'], scale: number): ValueField {
  return { name, bytes, scale };
}

/** All values, in the order of their bits and of their bytes. Electrical current and voltage are those of the motor where not said. */
const VALUE_FIELDS = [
  field('mosfetC', 2, 10),
  field('motorC', 2, 10),
  field('motorA', 4, 100),
  field('inputA', 4, 100),
  field('directA', 4, 100),
  field('quadratureA', 4, 100),
  field('dutyRatio', 2, 1000),
  field('erpm', 4, 1),
  field('inputV', 2, 10),
  field('drawnAh', 4, 1e4),
  field('chargedAh', 4, 1e4),
  field('drawnWh', 4, 1e4),
  field('chargedWh', 4, 1e4),
  // A sixth of an electrical turn each, with the sign of the way and without.
  field('tachometer', 4, 1),
  field('tachometerAbs', 4, 1),
  field('fault', 1, 1),
  field('pidPosition', 4, 1e6),
  field('controllerId', 1, 1),
  // Three temperatures in one bit.
  field('mosfet1C', 2, 10),
  field('directV', 4, 1e3),
  field('quadratureV', 4, 1e3),
  // Bits of `STATUS`; firmware before 6 has none.
  field('status', 1, 1),
] as const;

/** Bit of each value in a mask, and its place in what `readValues` fills. */
export const VALUE = {
  mosfetC: 0,
  motorC: 1,
  motorA: 2,
  inputA: 3,
  dutyRatio: 6,
  erpm: 7,
  inputV: 8,
  tachometer: 13,
  tachometerAbs: 14,
  fault: 15,
  controllerId: 17,
  status: 21,
} as const;

export const VALUE_COUNT: number = VALUE_FIELDS.length;

/** `status`: no command has come for longer than the timeout; the kill switch is on. */
export const STATUS = { hasTimedOut: 1, isKilled: 2 } as const;

/** The one bit behind which three temperatures of two bytes stand. */
const MOSFETS_BIT = 18;

function bytesOfBit(bit: number): number {
  return bit === MOSFETS_BIT ? 6 : VALUE_FIELDS[bit]!.bytes;
}

/** How long the payload of an answer to `writeGetSelected` is. */
export function selectedBytes(mask: number): number {
  let bytes = 5;
  for (let bit = 0; bit < VALUE_COUNT; bit++) if ((mask & (1 << bit)) !== 0) bytes += bytesOfBit(bit);
  return bytes;
}

/**
 * Takes the values of an answer to `writeGetSelected`, `count` bytes from `at` on behind its command, into `into` ([VALUE_COUNT], those that are
 * not in it stay). Returns the mask of the values that it has; 0 for an answer whose length and mask do not fit.
 */
export function readSelected(bytes: Uint8Array, at: number, count: number, into: Float64Array): number {
  if (count < 4) return 0;
  const mask = getInt(bytes, at, 4) & ((1 << VALUE_COUNT) - 1);
  const isWhole = count + 1 === selectedBytes(mask);
  // Older firmware repeats the mask, and leaves out what it has not.
  const had = isWhole ? mask : mask & ~(1 << VALUE.status);
  if (!isWhole && count + 1 !== selectedBytes(had)) return 0;
  let from = at + 4;
  for (let bit = 0; bit < VALUE_COUNT; bit++) {
    if ((had & (1 << bit)) === 0) continue;
    const { bytes: size, scale } = VALUE_FIELDS[bit]!;
    into[bit] = getInt(bytes, from, size) / scale;
    from += bytesOfBit(bit);
  }
  return had;
}

/** Writes an answer to `writeGetSelected(asked)` at `at`, with the values of `mask`: an emulator's end. */
export function writeSelected(out: Uint8Array, at: number, mask: number, values: Float64Array, asked = mask): number {
  let end = beginPacket(out, at, COMMAND.getSelected, selectedBytes(mask) - 1);
  end = putValues(out, putInt(out, end, 4, asked), mask, values);
  return endPacket(out, at, end);
}

/** Writes an answer to `getValues` at `at`: all values. */
export function writeValues(out: Uint8Array, at: number, values: Float64Array): number {
  const mask = (1 << VALUE_COUNT) - 1;
  const end = beginPacket(out, at, COMMAND.getValues, selectedBytes(mask) - 5);
  return endPacket(out, at, putValues(out, end, mask, values));
}

function putValues(out: Uint8Array, at: number, mask: number, values: Float64Array): number {
  let end = at;
  for (let bit = 0; bit < VALUE_COUNT; bit++) {
    if ((mask & (1 << bit)) === 0) continue;
    const { bytes, scale } = VALUE_FIELDS[bit]!;
    // Truncated, as the firmware does.
    const raw = Math.trunc(values[bit]! * scale);
    for (let i = 0; i < bytesOfBit(bit); i += bytes) end = putInt(out, end, bytes, raw);
  }
  return end;
}

/** First bit of each kind of number of COMM_GET_IMU_DATA: x, y, z follow one another. g and degrees a second. */
export const IMU = { accelX: 3, gyroX: 6 } as const;
/** Acceleration and turn, three numbers each. */
export const IMU_MASK = 0b111_111_000;
export const IMU_NUMBERS = 6;
/** Mask, numbers of four bytes, id of the controller; behind the command. */
export const IMU_BYTES: number = 2 + 4 * IMU_NUMBERS + 1;

/** Takes the six numbers of an answer to `writeGetImu(IMU_MASK)` into `into`. False where it is no such answer. */
export function readImu(bytes: Uint8Array, at: number, count: number, into: Float64Array): boolean {
  if (count !== IMU_BYTES || (getInt(bytes, at, 2) & 0xffff) !== IMU_MASK) return false;
  for (let i = 0; i < IMU_NUMBERS; i++) into[i] = getFloat(bytes, at + 2 + 4 * i);
  return true;
}

/** Writes an answer to `writeGetImu` at `at`; `values` has the sixteen numbers that there can be. */
export function writeImu(out: Uint8Array, at: number, mask: number, values: ArrayLike<number>): number {
  let count = 0;
  for (let bit = 0; bit < 16; bit++) if ((mask & (1 << bit)) !== 0) count++;
  let end = beginPacket(out, at, COMMAND.getImu, 3 + 4 * count);
  end = putInt(out, end, 2, mask);
  for (let bit = 0; bit < 16; bit++) if ((mask & (1 << bit)) !== 0) end = putFloat(out, end, values[bit]!);
  out[end] = 0;
  return endPacket(out, at, end + 1);
}

const FLOAT: DataView = new DataView(new ArrayBuffer(4));

/** `buffer_append_float32_auto`: what IEEE 754 writes, but that numbers too small for it are 0. */
function getFloat(bytes: Uint8Array, at: number): number {
  FLOAT.setInt32(0, getInt(bytes, at, 4));
  return FLOAT.getFloat32(0);
}

function putFloat(out: Uint8Array, at: number, value: number): number {
  FLOAT.setFloat32(0, value);
  return putInt(out, at, 4, FLOAT.getInt32(0));
}

/** `mc_fault_code`, by number: what follows FAULT_CODE_ in the firmware. */
export const FAULT_CODES: readonly string[] = [
  'NONE',
  'OVER_VOLTAGE',
  'UNDER_VOLTAGE',
  'DRV',
  'ABS_OVER_CURRENT',
  'OVER_TEMP_FET',
  'OVER_TEMP_MOTOR',
  'GATE_DRIVER_OVER_VOLTAGE',
  'GATE_DRIVER_UNDER_VOLTAGE',
  'MCU_UNDER_VOLTAGE',
  'BOOTING_FROM_WATCHDOG_RESET',
  'ENCODER_SPI',
  'ENCODER_SINCOS_BELOW_MIN_AMPLITUDE',
  'ENCODER_SINCOS_ABOVE_MAX_AMPLITUDE',
  'FLASH_CORRUPTION',
  'HIGH_OFFSET_CURRENT_SENSOR_1',
  'HIGH_OFFSET_CURRENT_SENSOR_2',
  'HIGH_OFFSET_CURRENT_SENSOR_3',
  'UNBALANCED_CURRENTS',
  'BRK',
  'RESOLVER_LOT',
  'RESOLVER_DOS',
  'RESOLVER_LOS',
  'FLASH_CORRUPTION_APP_CFG',
  'FLASH_CORRUPTION_MC_CFG',
  'ENCODER_NO_MAGNET',
  'ENCODER_MAGNET_TOO_STRONG',
  'PHASE_FILTER',
  'ENCODER_FAULT',
  'LV_OUTPUT_FAULT',
  'ENCODER_SLIP',
  'OVERSPEED',
  'UNDERSPEED',
  'ABS_OVERSPEED',
];

/** A fault in words. For people; allocates. */
export function faultName(code: number): string {
  return FAULT_CODES[code] ?? `number ${code}`;
}

/** Called for each intact packet: `count` bytes from `at` on, behind the command, in a buffer that is used again. */
export type OnPacket = (command: number, bytes: Uint8Array, at: number, count: number) => void;

/**
 * Packets in a stream, byte by byte. After a wrong length, checksum or stop it goes on behind the start that was wrong, so that a packet which
 * stands inside is not lost. Bounded memory, no throw, whatever comes. Tick-safe.
 */
export class VescReader {
  readonly #onPacket: OnPacket;
  readonly #maxPayload: number;
  /** The packet so far; never more than one. */
  readonly #packet: Uint8Array;
  #length = 0;
  #skippedBytes = 0;
  #checksumErrors = 0;

  /** `maxPayload`: longer packets are none. Who knows what can come is not held up by a length that lies. */
  constructor(onPacket: OnPacket, maxPayload: number = MAX_PAYLOAD_BYTES) {
    this.#onPacket = onPacket;
    this.#maxPayload = maxPayload;
    this.#packet = new Uint8Array(maxPayload + OVERHEAD_BYTES + 1);
  }

  /** Bytes that were part of no intact packet, so far. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  get checksumErrors(): number {
    return this.#checksumErrors;
  }

  /** Takes `bytes` from `from` to `to` (excluded). */
  push(bytes: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      this.#packet[this.#length++] = bytes[i]!;
      this.#handOut();
    }
  }

  /** What is held is no packet that will end: whole ones inside it are handed out, and the rest is forgotten. */
  restart(): void {
    while (this.#length > 0) {
      this.#skipFirst();
      this.#handOut();
    }
  }

  /** Hands out whole packets, until what is left may be the beginning of one, or nothing. */
  #handOut(): void {
    while (this.#length > 0) {
      const bytes = this.#wholeBytes();
      if (bytes === 0) return;
      if (bytes < 0) {
        this.#skipFirst();
        continue;
      }
      const head = this.#packet[0]!;
      this.#onPacket(this.#packet[head]!, this.#packet, head + 1, bytes - head - 4);
      this.#drop(bytes);
    }
  }

  /** How long the packet is that stands first; 0 where its end has not come, −1 where none does. */
  #wholeBytes(): number {
    const packet = this.#packet;
    const length = this.#length;
    const head = packet[0]!;
    if (head !== START_SHORT && head !== START_LONG) return -1;
    if (length < head) return 0;
    const payload = head === START_SHORT ? packet[1]! : (packet[1]! << 8) | packet[2]!;
    if (payload < (head === START_SHORT ? 1 : LONG_FROM_BYTES) || payload > this.#maxPayload) return -1;
    const end = head + payload;
    if (length < end + 3) return 0;
    if (packet[end + 2] !== STOP) return -1;
    if (crc16(packet, head, end) === ((packet[end]! << 8) | packet[end + 1]!)) return end + 3;
    this.#checksumErrors++;
    return -1;
  }

  #skipFirst(): void {
    this.#skippedBytes++;
    this.#drop(1);
  }

  #drop(bytes: number): void {
    this.#packet.copyWithin(0, bytes, this.#length);
    this.#length -= bytes;
  }
}
