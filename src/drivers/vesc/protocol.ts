/**
 * Packets of VESC motor controllers: start (2 or 3, also the number of bytes before the payload), length, payload,
 * CRC-16/XMODEM of the payload, stop (3); big-endian. Source: the firmware, github.com/vedderb/bldc 7.01,
 * `comm/packet.c`, `comm/commands.c`, `util/buffer.c`, `datatypes.h`.
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

/** First byte of a packet, which is also the number of bytes before its payload; last byte. */
export const START_SHORT = 2;
export const START_LONG = 3;
export const STOP = 3;
/** Start, length, CRC and stop of a packet with a length of one byte. */
export const OVERHEAD_BYTES = 5;
const CRC_POLYNOMIAL = 0x1021;

const CRC_TABLE: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ CRC_POLYNOMIAL;
  return crc & 0xffff;
});

/** Returns the CRC-16/XMODEM of the bytes from `from` to `to` (excluded). Tick-safe. */
export function crc16(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0;
  for (let i = from; i < to; i++) crc = ((crc << 8) & 0xff00) ^ CRC_TABLE[(crc >> 8) ^ bytes[i]!]!;
  return crc;
}

/**
 * Begins a packet at `at` of `out` whose payload is `command` and `bytes` further bytes, at most 254 in all. The caller
 * writes these from the returned position on, and then calls `endPacket`. Tick-safe, like all functions below.
 */
export function beginPacket(out: Uint8Array, at: number, command: number, bytes: number): number {
  out[at] = START_SHORT;
  out[at + 1] = 1 + bytes;
  out[at + 2] = command;
  return at + 3;
}

/** Ends the packet that begins at `at` and whose payload ends before `end`. Returns the position of the next one. */
export function endPacket(out: Uint8Array, at: number, end: number): number {
  const crc = crc16(out, at + 2, end);
  out[end] = crc >> 8;
  out[end + 1] = crc & 0xff;
  out[end + 2] = STOP;
  return end + 3;
}

/** Writes a packet without data: `firmware`, `getValues`, `alive`. */
export function writeCommand(out: Uint8Array, at: number, command: number): number {
  return endPacket(out, at, beginPacket(out, at, command, 0));
}

function writeInt32(out: Uint8Array, at: number, command: number, value: number): number {
  const data = beginPacket(out, at, command, 4);
  return endPacket(out, at, putInt(out, data, 4, value));
}

/** Writes a duty cycle, share of the battery voltage, −1 to 1. 0 shorts the motor. */
export function writeDuty(out: Uint8Array, at: number, ratio: number): number {
  return writeInt32(out, at, COMMAND.setDuty, Math.round(ratio * 1e5));
}

/** Writes a motor current, A; 0 lets the motor coast. */
export function writeCurrent(out: Uint8Array, at: number, currentA: number): number {
  return writeInt32(out, at, COMMAND.setCurrent, Math.round(currentA * 1e3));
}

/** Writes a brake current, A, which opposes either direction. */
export function writeBrake(out: Uint8Array, at: number, currentA: number): number {
  return writeInt32(out, at, COMMAND.setBrake, Math.round(currentA * 1e3));
}

/** Writes an electrical speed, ERPM: motor speed times pole pairs. */
export function writeRpm(out: Uint8Array, at: number, erpm: number): number {
  return writeInt32(out, at, COMMAND.setRpm, Math.round(erpm));
}

/** Writes the position of the servo output, 0 (a pulse of 1 ms) to 1 (2 ms). */
export function writeServo(out: Uint8Array, at: number, position: number): number {
  const data = beginPacket(out, at, COMMAND.setServo, 2);
  return endPacket(out, at, putInt(out, data, 2, Math.round(position * 1e3)));
}

/** Requests the values with bits in `mask` (`VALUE`). */
export function writeGetSelected(out: Uint8Array, at: number, mask: number): number {
  return writeInt32(out, at, COMMAND.getSelected, mask);
}

/** Requests the IMU values with bits in `mask` (`IMU`). */
export function writeGetImu(out: Uint8Array, at: number, mask: number): number {
  const data = beginPacket(out, at, COMMAND.getImu, 2);
  return endPacket(out, at, putInt(out, data, 2, mask));
}

/** Writes the lowest `bytes` bytes of an integer at `at`; returns the position after it. */
export function putInt(out: Uint8Array, at: number, bytes: number, value: number): number {
  for (let i = 0; i < bytes; i++) out[at + i] = (value >> (8 * (bytes - 1 - i))) & 0xff;
  return at + bytes;
}

/** Returns the integer of 1, 2 or 4 bytes at `at`; a single byte is unsigned. */
export function getInt(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) value = (value << 8) | bytes[at + i]!;
  return count === 2 ? (value << 16) >> 16 : value;
}
