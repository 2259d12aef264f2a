/**
 * Packets of Dynamixel Protocol 2.0: FF FF FD 00, id, length, instruction, parameters, CRC-16; little-endian. Source:
 * ROBOTIS e-Manual, "DYNAMIXEL Protocol 2.0" and "CRC Calculation".
 */
export const INSTRUCTION = {
  ping: 0x01,
  read: 0x02,
  write: 0x03,
  regWrite: 0x04,
  action: 0x05,
  factoryReset: 0x06,
  reboot: 0x08,
  clear: 0x10,
  status: 0x55,
  syncRead: 0x82,
  syncWrite: 0x83,
  fastSyncRead: 0x8a,
  bulkRead: 0x92,
  bulkWrite: 0x93,
  fastBulkRead: 0x9a,
} as const;

export const BROADCAST_ID = 0xfe;
/** Bit of a status's error byte, beside an error number: set while the servo's `hardwareError` is not 0. */
export const ALERT = 0x80;
export const STATUS_ERROR = {
  resultFail: 1,
  instruction: 2,
  crc: 3,
  dataRange: 4,
  dataLength: 5,
  dataLimit: 6,
  access: 7,
} as const;

/** Positions of length, instruction and first parameter in a packet; size of the CRC. */
export const LENGTH_AT = 5;
export const INSTRUCTION_AT = 7;
export const PARAMETERS_AT = 8;
export const CRC_BYTES = 2;
/** Overhead of each part of a shared status: error, id, CRC. */
export const PART_OVERHEAD_BYTES = 4;
/** Largest packet: room for requests and replies of 30 servos and more. Devices may send longer ones, but no request here asks for one. */
export const MAX_PACKET_BYTES = 1024;

const CRC_POLYNOMIAL = 0x8005;
const CRC_TABLE: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ CRC_POLYNOMIAL;
  return crc;
});

/** Returns the CRC-16 of the bytes from `from` to `end` (excluded), continued from `crc`. Tick path. */
export function crcOf(bytes: Uint8Array, from: number, end: number, crc = 0): number {
  let sum = crc;
  for (let i = from; i < end; i++) sum = ((sum << 8) & 0xffff) ^ CRC_TABLE[((sum >> 8) ^ bytes[i]!) & 0xff]!;
  return sum;
}

/** Returns true if FF FF FD, the start of a header, ends at `at` within the stuffed range, which begins at `from`. */
function endsHeader(bytes: Uint8Array, at: number, from: number): boolean {
  return at >= from + 2 && bytes[at] === 0xfd && bytes[at - 1] === 0xff && bytes[at - 2] === 0xff;
}

/** Inserts FD after each FF FF FD of instruction and parameters, which end before `end`; returns their new end. */
function stuff(out: Uint8Array, end: number): number {
  let extra = 0;
  for (let i = INSTRUCTION_AT; i < end; i++) if (endsHeader(out, i, INSTRUCTION_AT)) extra++;
  const stuffedEnd = end + extra;
  // Backwards, so that unread bytes are not overwritten.
  let to = stuffedEnd - 1;
  for (let from = end - 1; to > from; from--) {
    if (endsHeader(out, from, INSTRUCTION_AT)) out[to--] = 0xfd;
    out[to--] = out[from]!;
  }
  return stuffedEnd;
}

/** Removes the FD after each FF FF FD from `from` to `end`; returns the new end. Tick path. */
export function unstuff(bytes: Uint8Array, from: number, end: number): number {
  let to = from;
  for (let i = from; i < end; i++) {
    bytes[to] = bytes[i]!;
    if (endsHeader(bytes, to, from) && i + 1 < end && bytes[i + 1] === 0xfd) i++;
    to++;
  }
  return to;
}

/** Adds header, instruction and CRC to the parameters in `out`, which end before `end`; returns the packet length in bytes. */
export function finish(out: Uint8Array, id: number, instruction: number, end: number): number {
  out[INSTRUCTION_AT] = instruction;
  const stuffedEnd = stuff(out, end);
  begin(out, id, stuffedEnd - INSTRUCTION_AT + CRC_BYTES);
  return writeCrc(out, stuffedEnd, crcOf(out, 0, stuffedEnd));
}

function begin(out: Uint8Array, id: number, length: number): void {
  out[0] = 0xff;
  out[1] = 0xff;
  out[2] = 0xfd;
  out[3] = 0x00;
  out[4] = id;
  word(out, LENGTH_AT, length);
}

function writeCrc(out: Uint8Array, at: number, crc: number): number {
  word(out, at, crc);
  return at + CRC_BYTES;
}

export function word(out: Uint8Array, at: number, value: number): void {
  out[at] = value & 0xff;
  out[at + 1] = value >> 8;
}

export function copy(out: Uint8Array, at: number, data: Uint8Array, from: number, count: number): number {
  for (let i = 0; i < count; i++) out[at + i] = data[from + i]!;
  return at + count;
}

/** Writes a status as sent by a servo, for emulators. Returns its length in bytes. */
export function writeStatus(
  out: Uint8Array,
  id: number,
  error: number,
  data: Uint8Array,
  at: number,
  count: number,
): number {
  out[PARAMETERS_AT] = error;
  return finish(out, id, INSTRUCTION.status, copy(out, PARAMETERS_AT + 1, data, at, count));
}

/** Begins the shared status of a fast read, with `partBytes` parameters per part. Returns the position of the first part. */
export function beginSharedStatus(out: Uint8Array, partBytes: readonly number[]): number {
  begin(
    out,
    BROADCAST_ID,
    partBytes.reduce((sum, bytes) => sum + bytes + PART_OVERHEAD_BYTES, 1),
  );
  out[INSTRUCTION_AT] = INSTRUCTION.status;
  return PARAMETERS_AT;
}

/** Appends one servo's part at `at`; its CRC covers everything written so far. Not stuffed. Returns the position of the next part. */
export function addSharedPart(
  out: Uint8Array,
  at: number,
  id: number,
  error: number,
  data: Uint8Array,
  from: number,
  count: number,
): number {
  out[at] = error;
  out[at + 1] = id;
  const end = copy(out, at + 2, data, from, count);
  return writeCrc(out, end, crcOf(out, 0, end));
}
