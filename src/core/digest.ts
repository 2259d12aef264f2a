/** SHA-256: what shows whether content is the one that was meant. */
import { createHash } from 'node:crypto';

/** SHA-256 of `parts` one after another, as 64 hexadecimal digits. Texts count as UTF-8, numbers as their little-endian bytes. */
export function sha256Hex(...parts: readonly (string | Uint8Array | Float32Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(part instanceof Float32Array ? new Uint8Array(part.buffer, part.byteOffset, part.byteLength) : part);
  }
  return hash.digest('hex');
}
