/** Parses untrusted JSON without throwing, and checks its types. */

/** The value in `text`, which may be UTF-8 bytes; `undefined` if it is not JSON, e.g. a file truncated when its writer was killed. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : textOf(text));
  } catch {
    return undefined; // every caller reports the source
  }
}

/** The object in `text`; `undefined` if it is none. Never throws. */
export function parseObject(text: string | Uint8Array): Record<string, unknown> | undefined {
  return asObject(parseJson(text));
}

/** `value` if it is an object and no array; otherwise `undefined`. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** True if `value` is an integer from 0 to 2^53 − 1. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
