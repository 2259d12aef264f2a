/** JSON that others wrote: read without a throw, and taken for nothing that it is not. */

/** The object in `text`, which may be its UTF-8 bytes; undefined where it is none. Never throws. */
export function parseObject(text: string | Uint8Array): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(typeof text === 'string' ? text : textOf(text)));
  } catch {
    return undefined; // every caller says of what it is no part
  }
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
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
