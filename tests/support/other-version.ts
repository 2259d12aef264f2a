/** Frames as another version of the protocol would seal them. */
import { crc32c } from '../../src/core/index.ts';
import { HEADER, HEADER_BYTES, WIRE_VERSION } from '../../src/learner/link/wire.ts';

/** `frame`, changed in place: the version before this one, with the checksum that belongs to it. */
export function ofOlderVersion(frame: Uint8Array): Uint8Array {
  frame[HEADER.version] = WIRE_VERSION - 1;
  const checksum = crc32c(frame.subarray(HEADER_BYTES), crc32c(frame.subarray(0, HEADER.checksum)));
  new DataView(frame.buffer, frame.byteOffset).setUint32(HEADER.checksum, checksum, true);
  return frame;
}
