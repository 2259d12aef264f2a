/**
 * Answers of a VESC: identity, values, IMU, faults. Source: firmware, github.com/vedderb/bldc 7.01, `comm/commands.c`, `datatypes.h`.
 */
import { beginPacket, COMMAND, endPacket, getInt, putInt } from './protocol.ts';

/** Size of the processor's unique number (STM32_UUID_8), bytes. */
const UUID_BYTES = 12;

/** Identity of a VESC (COMM_FW_VERSION). */
export interface VescIdentity {
  /** Firmware version, e.g. `6.05`. */
  readonly firmware: string;
  /** Name of its board, e.g. `60_MK6`; empty if not reported. */
  readonly hardware: string;
  /** Number of its processor, 24 hexadecimal digits; empty if not reported. */
  readonly uuid: string;
}

/** Parses the answer to `COMMAND.firmware`, `count` bytes from `at` on after the command; `undefined` if it is too short. Allocates. */
export function readIdentity(bytes: Uint8Array, at: number, count: number): VescIdentity | undefined {
  if (count < 2) return undefined;
  const firmware = `${bytes[at]}.${String(bytes[at + 1]).padStart(2, '0')}`;
  const end = bytes.subarray(0, at + count).indexOf(0, at + 2);
  if (end < 0) return { firmware, hardware: '', uuid: '' };
  const hardware = Buffer.from(bytes.subarray(at + 2, end))
    .toString('latin1')
    .replace(/[^ -~]/g, '?');
  const uuid = bytes.subarray(end + 1, end + 1 + UUID_BYTES);
  const isWhole = end + 1 + UUID_BYTES <= at + count && uuid.some((byte) => byte !== 0);
  return { firmware, hardware, uuid: isWhole ? Buffer.from(uuid).toString('hex') : '' };
}

/** Writes the answer to `COMMAND.firmware` at `at`, for emulators. Two further numbers, unused here, are 0. */
export function writeIdentity(out: Uint8Array, at: number, { firmware, hardware, uuid }: VescIdentity): number {
  const [major, minor] = firmware.split('.').map(Number);
  const rest = Buffer.concat([Buffer.from(`${hardware}\0`, 'latin1'), Buffer.from(uuid, 'hex'), Buffer.alloc(2)]);
  const data = beginPacket(out, at, COMMAND.firmware, 2 + rest.length);
  out[data] = major!;
  out[data + 1] = minor!;
  out.set(rest, data + 2);
  return endPacket(out, at, data + 2 + rest.length);
}

/** One value of COMM_GET_VALUES. */
interface ValueField {
  readonly name: string;
  readonly bytes: 1 | 2 | 4;
  /** Counts per unit. */
  readonly scale: number;
}

function field(name: string, bytes: ValueField['bytes'], scale: number): ValueField {
  return { name, bytes, scale };
}

/** All values, in the order of their bits and of their bytes. Currents and voltages are the motor's unless named otherwise. */
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
  // Sixths of an electrical turn, signed and unsigned. All six counters begin at 0 when the VESC starts.
  field('tachometer', 4, 1),
  field('tachometerAbs', 4, 1),
  field('fault', 1, 1),
  field('pidPosition', 4, 1e6),
  field('controllerId', 1, 1),
  // Three temperatures share one bit.
  field('mosfet1C', 2, 10),
  field('directV', 4, 1e3),
  field('quadratureV', 4, 1e3),
  // Bits of `STATUS`; firmware before 6 has none.
  field('status', 1, 1),
] as const;

/** Bit of each value in a mask, and its index in the array that `readSelected` fills. */
export const VALUE = {
  mosfetC: 0,
  motorC: 1,
  motorA: 2,
  inputA: 3,
  dutyRatio: 6,
  erpm: 7,
  inputV: 8,
  drawnAh: 9,
  tachometer: 13,
  tachometerAbs: 14,
  fault: 15,
  controllerId: 17,
  status: 21,
} as const;

export const VALUE_COUNT: number = VALUE_FIELDS.length;

/** `status`: no command arrived within the timeout; the kill switch is on. */
export const STATUS = { hasTimedOut: 1, isKilled: 2 } as const;

/** The one bit for three temperatures of two bytes. */
const MOSFETS_BIT = 18;

function bytesOfBit(bit: number): number {
  return bit === MOSFETS_BIT ? 6 : VALUE_FIELDS[bit]!.bytes;
}

/** Returns the payload length of an answer to `writeGetSelected`. */
export function selectedBytes(mask: number): number {
  let bytes = 5;
  for (let bit = 0; bit < VALUE_COUNT; bit++) if ((mask & (1 << bit)) !== 0) bytes += bytesOfBit(bit);
  return bytes;
}

/**
 * Parses an answer to `writeGetSelected`, `count` bytes from `at` on after the command, into `into` ([VALUE_COUNT];
 * values not in it are unchanged). Returns the mask of its values; 0 if length and mask do not match.
 */
export function readSelected(bytes: Uint8Array, at: number, count: number, into: Float64Array): number {
  if (count < 4) return 0;
  const mask = getInt(bytes, at, 4) & ((1 << VALUE_COUNT) - 1);
  const isWhole = count + 1 === selectedBytes(mask);
  // Older firmware repeats the mask, and omits values that it does not have.
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

/** Writes an answer to `writeGetSelected(asked)` at `at`, with the values of `mask`, for emulators. */
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
    // Truncated, as in the firmware.
    const raw = Math.trunc(values[bit]! * scale);
    for (let i = 0; i < bytesOfBit(bit); i += bytes) end = putInt(out, end, bytes, raw);
  }
  return end;
}

/** First bit of each vector in COMM_GET_IMU_DATA, followed by y and z; g and degrees per second. */
export const IMU = { accelX: 3, gyroX: 6 } as const;
/** Acceleration and angular rate, three numbers each. */
export const IMU_MASK = 0b111_111_000;
export const IMU_NUMBERS = 6;
/** Answer after the command: mask, numbers of four bytes, controller id. */
export const IMU_BYTES: number = 2 + 4 * IMU_NUMBERS + 1;

/** Parses the six numbers of an answer to `writeGetImu(IMU_MASK)` into `into`. Returns false if it is no such answer. */
export function readImu(bytes: Uint8Array, at: number, count: number, into: Float64Array): boolean {
  if (count !== IMU_BYTES || (getInt(bytes, at, 2) & 0xffff) !== IMU_MASK) return false;
  for (let i = 0; i < IMU_NUMBERS; i++) into[i] = getFloat(bytes, at + 2 + 4 * i);
  return true;
}

/** Writes an answer to `writeGetImu` at `at`; `values` has all sixteen possible numbers. */
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

/** `buffer_append_float32_auto`: IEEE 754, except that numbers too small for it are 0. */
function getFloat(bytes: Uint8Array, at: number): number {
  FLOAT.setInt32(0, getInt(bytes, at, 4));
  return FLOAT.getFloat32(0);
}

function putFloat(out: Uint8Array, at: number, value: number): number {
  FLOAT.setFloat32(0, value);
  return putInt(out, at, 4, FLOAT.getInt32(0));
}

/** `mc_fault_code`, by number: names of the firmware without FAULT_CODE_. */
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

/** Returns the name of a fault. For messages; allocates. */
export function faultName(code: number): string {
  return FAULT_CODES[code] ?? `number ${code}`;
}
