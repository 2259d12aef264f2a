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

/** First byte of a packet, and how many bytes come before its payload; last byte. */
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

/** Asks for the values whose bits are in `mask` (`VALUE`). */
export function writeGetSelected(out: Uint8Array, at: number, mask: number): number {
  return writeInt32(out, at, COMMAND.getSelected, mask);
}

/** Asks for the numbers of the IMU whose bits are in `mask` (`IMU`). */
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
