/** What the file system refuses, as a message that says what is in the way and what helps. */
import { ReinError } from '../result.ts';

/** A file could not be written: of the kind 'storage'. */
export class WriteError extends ReinError {
  readonly #help: string;

  /** `what`: the message that says what cannot be written and why; `help`: what is done about it, without its full stop. */
  constructor(what: string, help: string, cause: unknown) {
    super('storage', what, { remedy: `${help}.`, cause });
    this.#help = help;
  }

  /** The same, with what may be done once its remedy has helped. */
  followedBy(next: string): WriteError {
    return new WriteError(this.message, `${this.#help}, then ${next}`, this.cause);
  }
}

/** By the code of the system's error: what is in the way, and what helps. */
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

/** `use`, with what the file system throws as a `WriteError` about `path`. */
export function storage<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (cause) {
    throw writeErrorOf(path, cause);
  }
}

/** What the file system has thrown, as a `WriteError` about `path`; anything else as it is. */
export function writeErrorOf(path: string, cause: unknown): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (cause instanceof ReinError || code === undefined) return cause;
  const [reason, help] = TROUBLES[code] ?? [message, 'See to the folder that it lies in'];
  return new WriteError(`${path} cannot be written: ${reason}.`, help, cause);
}
