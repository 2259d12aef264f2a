/** Options that several commands share, and readers of option values. A reader throws what commander reports as misuse. */
import { InvalidArgumentError, Option } from 'commander';

/** Address at which a learner listens unless told otherwise: this machine only. */
export const DEFAULT_LEARNER_ADDRESS = 'tcp://127.0.0.1:7350';

/** Largest seed: what survives JSON and a double. */
const MAX_SEED = Number.MAX_SAFE_INTEGER;

export function seedOption(): Option {
  return new Option('--seed <n>', 'seed of every random number; the same seed repeats a simulated run')
    .argParser(wholeNumber(0, MAX_SEED))
    .default(0);
}

export function configOption(): Option {
  return new Option('--config <file>', 'YAML file laid over task, robot and learner; see docs/config.md');
}

export function taskOption(): Option {
  return new Option('--task <name>', 'name of a file in config/tasks/, or a path ending in .yaml');
}

export function quietOption(): Option {
  return new Option('--quiet', 'print the last summary and errors only');
}

/** Reads a whole number in [min, max]. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Reads seconds > 0. */
export function seconds(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= MAX_SECONDS) return value;
  throw new InvalidArgumentError(`It must be a number of seconds > 0 and at most ${MAX_SECONDS}, without a unit.`);
}

/** Reads seconds ≥ 0. */
export function secondsOrNone(text: string): number {
  return /^0+(\.0+)?$/.test(text) ? 0 : seconds(text);
}

/** 24 days: a timer of the platform counts milliseconds in 31 bits and, beyond, ends at once. */
const MAX_SECONDS = 2_000_000;

/** Reads `tcp://host:port` of something to connect to. */
export function tcpAddress(text: string): string {
  return addressWithPortFrom(1, text);
}

/** Reads `tcp://host:port` to listen at: port 0 stands for any free one. Which hosts are allowed is the link's to say. */
export function bindAddress(text: string): string {
  return addressWithPortFrom(0, text);
}

function addressWithPortFrom(lowest: number, text: string): string {
  const match = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(text);
  if (match !== null && Number(match[2]) >= lowest && Number(match[2]) <= 65_535) return text;
  throw new InvalidArgumentError('It must be an address such as tcp://127.0.0.1:7350.');
}

/** Reads a robot's id: letters, digits, `-` and `_`, so that it can be part of a file's name. */
export function robotId(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 32 letters, digits, "-" or "_".');
}

/** Collects `key=value` for an option that may be given several times; values as YAML and JSON write them: `2`, `true`, `[8,8]`. */
export function keyValue(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const match = /^([A-Za-z][\w.]*)=(.+)$/s.exec(text);
  if (match === null) throw new InvalidArgumentError('It must be key=value.');
  const [, key, written] = match;
  let value: unknown = written;
  try {
    value = JSON.parse(written!);
  } catch {
    // A word without quotes.
  }
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) return { ...before, [key!]: value };
  throw new InvalidArgumentError('The value must be a number, true, false, a word or a list of these.');
}

/** Reads a path: any text that is not empty. */
export function path(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

/** The end of every command's help. */
export const EXIT_CODES = `
Exit codes:
  0  done
  1  it could not be done, or the task's target was missed; the line that begins with "rein:" says why
  2  the command line was not understood`;
