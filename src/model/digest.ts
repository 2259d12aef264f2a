/** SHA-256 digests, to verify the identity of content. */
import { createHash } from 'node:crypto';

/** SHA-256 of the concatenated `parts`, as 64 hexadecimal digits. Strings are hashed as UTF-8, numbers as little-endian bytes. */
export function sha256Hex(...parts: readonly (string | Uint8Array | Float32Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(part instanceof Float32Array ? new Uint8Array(part.buffer, part.byteOffset, part.byteLength) : part);
  }
  return hash.digest('hex');
}
