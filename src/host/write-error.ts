/** File system errors on writing, as messages with the cause and a remedy. */
import { ReinError } from '../model/index.ts';

/** A file could not be written: a `ReinError` of kind 'storage'. */
export class WriteError extends ReinError {
  readonly #help: string;

  /** `what`: message with the path and the reason; `help`: the remedy, without its full stop. */
  constructor(what: string, help: string, cause: unknown) {
    super('storage', what, { remedy: `${help}.`, cause });
    this.#help = help;
  }

  /** Returns the same error with `next` appended to its remedy, as the following step. */
  followedBy(next: string): WriteError {
    return new WriteError(this.message, `${this.#help}, then ${next}`, this.cause);
  }
}

/** Reason and remedy by the system's error code. */
const TROUBLES: Readonly<Record<string, readonly [reason: string, help: string]>> = {
  ENOSPC: ['the disk is full', 'Make room on the disk'],
  EDQUOT: ['your share of the disk is full', 'Make room on the disk'],
  EACCES: ['it is not allowed here', 'Make the folder writable'],
  EPERM: ['it is not allowed here', 'Make the folder writable'],
  EROFS: ['the disk is read-only', 'Make the disk writable'],
  EEXIST: ['there is a file where a folder is needed', 'Choose another folder, or move the file away'],
  ENOTDIR: ['there is a file where a folder is needed', 'Choose another folder, or move the file away'],
  EISDIR: ['there is a folder where a file is needed', 'Choose the path of a file'],
};

/** Runs `use`; rethrows file system errors as a `WriteError` about `path`. */
export function storage<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (cause) {
    throw writeErrorOf(path, cause);
  }
}

/** Converts a file system error to a `WriteError` about `path`; returns any other error unchanged. */
export function writeErrorOf(path: string, cause: unknown): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (cause instanceof ReinError || code === undefined) return cause;
  const [reason, help] = TROUBLES[code] ?? [message, 'See to the folder that it lies in'];
  return new WriteError(`${path} cannot be written: ${reason}.`, help, cause);
}
