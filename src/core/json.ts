/** JSON that others wrote: read without a throw, and taken for nothing that it is not. */

/** The value in `text`, which may be its UTF-8 bytes; undefined where it is no JSON, as a file may be that a process was killed over. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : textOf(text));
  } catch {
    return undefined; // every caller says of what it is no part
  }
}

/** The object in `text`; undefined where it is none. Never throws. */
export function parseObject(text: string | Uint8Array): Record<string, unknown> | undefined {
  return asObject(parseJson(text));
}

/** `value` where it is an object and no list; else undefined. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Whether `value` is a whole number from 0 to 2^53 − 1. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
