/** Messages between processes: each is read by its schema before it is believed. */
import { z } from 'zod';
import { isCount } from '../core/index.ts';

/** A whole number from 0 to 2^53 − 1. */
export const count: z.ZodCustom<number, number> = z.custom<number>(isCount);

/** What reads a value as `schema` has it, without keys that it does not name; `undefined` where it does not fit. Never throws. */
export function readerOf<T>(schema: z.ZodType<T>): (value: unknown) => T | undefined {
  return (value) => schema.safeParse(value).data;
}
