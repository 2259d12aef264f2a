/** Messages between processes: each is validated by its schema before use. */
import { z } from 'zod';
import { isCount } from '../model/index.ts';

/** An integer from 0 to 2^53 − 1. */
export const count: z.ZodCustom<number, number> = z.custom<number>(isCount);

/** Returns a validator for `schema` that drops unknown keys and returns `undefined` for an invalid value. Never throws. */
export function readerOf<T>(schema: z.ZodType<T>): (value: unknown) => T | undefined {
  return (value) => schema.safeParse(value).data;
}
