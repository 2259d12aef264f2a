/** Expected failures are values; programming errors throw. */

/** Either a value or an error that the caller has to handle. */
export type Result<T, E = ReinError> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

export function ok<T>(value: T): Result<T, never> {
  return { ok: true, value };
}

export function err<E>(error: E): Result<never, E> {
  return { ok: false, error };
}

/** Category of an error; decides the exit code and the remedy offered. */
export type ErrorKind =
  | 'config'
  | 'policy'
  | 'checkpoint'
  | 'link'
  | 'storage'
  | 'driver'
  | 'environment'
  | 'task'
  | 'message';

/**
 * An error shown to the user: one sentence that says what is wrong, and one that says what to do. Command-line programs print
 * it without a stack and exit with code 1.
 */
export class ReinError extends Error {
  readonly kind: ErrorKind;
  readonly remedy: string | undefined;

  constructor(kind: ErrorKind, message: string, options: { remedy?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ReinError';
    this.kind = kind;
    this.remedy = options.remedy;
  }
}

/** A `ReinError` as plain data: neither its class nor its fields survive transfer between threads or processes. */
export interface PackedError {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly remedy: string | undefined;
}

/** Converts `error` for `postMessage` or an IPC channel; an error of Rein's own code goes between threads only, with its stack. */
export function packError(error: ReinError): PackedError;
export function packError(error: unknown): PackedError | Error;
export function packError(error: unknown): PackedError | Error {
  if (!(error instanceof ReinError)) return error instanceof Error ? error : new Error(String(error));
  const { kind, message, remedy } = error;
  return { kind, message, remedy };
}

/** Restores the error that `packError` packed. */
export function unpackError(packed: PackedError): ReinError;
export function unpackError(packed: PackedError | Error): Error;
export function unpackError(packed: PackedError | Error): Error {
  if (packed instanceof Error) return packed;
  const { kind, message, remedy } = packed;
  return new ReinError(kind, message, { remedy });
}

/** Message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Formats `error` for the output of the program `program`, line breaks included: a `ReinError` in one sentence with its
 * remedy, or one line per problem, each beginning with its location; an error of Rein's own code with its stack.
 */
export function describeError(error: unknown, program: string): string {
  if (error instanceof ReinError) {
    const remedy = error.remedy === undefined ? '' : `  → ${error.remedy}\n`;
    if (!error.message.includes('\n')) return `${program}: ${error.message}\n${remedy}`;
    return `${error.message}\n${program}: the lines above say what is wrong.\n${remedy}`;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${program}: this is a mistake in Rein, please report it with the lines below\n${text}\n`;
}
