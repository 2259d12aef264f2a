/** Compile-time proof that a schema and the interface people read say the same. */
import type { z } from 'zod';

type DeepReadonly<T> = T extends readonly unknown[] | object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** `true` when each of `A` and `B` can stand for the other, `readonly` aside; a compile error where it is used otherwise. */
export type Same<A, B> = [DeepReadonly<A>] extends [DeepReadonly<B>]
  ? [DeepReadonly<B>] extends [DeepReadonly<A>]
    ? true
    : false
  : false;

/**
 * `schema` as the schema of `T`. `IsSame` is `Same<z.output<typeof schema>, T>`: where schema and interface differ, that
 * is not `true`, and the call does not compile.
 */
export function schemaOf<T, IsSame extends true>(schema: IsSame extends true ? z.ZodType<T> : never): z.ZodType<T> {
  return schema;
}
