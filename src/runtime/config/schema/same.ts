/** Compile-time proof that a schema and the interface people read say the same. */

type DeepReadonly<T> = T extends readonly unknown[] | object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** `true` when each of `A` and `B` can stand for the other, `readonly` aside; a compile error where it is used otherwise. */
export type Same<A, B> = [DeepReadonly<A>] extends [DeepReadonly<B>]
  ? [DeepReadonly<B>] extends [DeepReadonly<A>]
    ? true
    : false
  : false;

/** Makes the compiler refuse anything but `true`. */
export type Assert<T extends true> = T;
