/** Options of environments and of their scripted agents, as plain data checked against a table. */
import { didYouMean, ReinError } from '../../../../src/model/index.ts';

/** Option values as given by a configuration file. */
export type OptionValues = Readonly<Record<string, number | boolean>>;

/** Number in [low, high]; `whole` numbers are integers. */
export interface NumberField {
  readonly kind: 'number' | 'whole';
  readonly default: number;
  readonly low: number;
  readonly high: number;
}

export interface FlagField {
  readonly kind: 'flag';
  readonly default: boolean;
}

/** One field for each option. */
export type OptionFields = Readonly<Record<string, NumberField | FlagField>>;

/** Result of `readOptions` for the fields `F`. */
export type Options<F extends OptionFields> = {
  readonly [K in keyof F]: F[K] extends FlagField ? boolean : number;
};

export function number(standard: number, low: number, high: number): NumberField {
  return { kind: 'number', default: standard, low, high };
}

export function whole(standard: number, low: number, high: number): NumberField {
  return { kind: 'whole', default: standard, low, high };
}

export function flag(standard: boolean): FlagField {
  return { kind: 'flag', default: standard };
}

/**
 * Returns `given`, completed by the defaults of `known`. Throws `ReinError('config')` that names `owner` and the option
 * if it is unknown, of another kind, or out of range.
 */
export function readOptions<F extends OptionFields>(owner: string, known: F, given: OptionValues): Options<F> {
  const read: Record<string, number | boolean> = {};
  for (const [name, field] of Object.entries(known)) read[name] = field.default;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) throw unknownName(`option of ${owner}`, name, Object.keys(known));
    const problem = problemOf(known[name]!, value);
    if (problem !== undefined) {
      throw new ReinError('config', `the option "${name}" of ${owner} is ${String(value)}, not ${problem}`);
    }
    read[name] = value;
  }
  return read as Options<F>;
}

function problemOf(field: NumberField | FlagField, value: unknown): string | undefined {
  if (field.kind === 'flag') return typeof value === 'boolean' ? undefined : 'true or false';
  const isRight =
    typeof value === 'number' &&
    value >= field.low &&
    value <= field.high &&
    (field.kind === 'number' || Number.isInteger(value));
  return isRight ? undefined : `a ${field.kind === 'whole' ? 'whole ' : ''}number from ${field.low} to ${field.high}`;
}

/** Error for a `word` that is not in `allowed`, with a similar allowed word if there is one. */
export function unknownName(what: string, word: string, allowed: readonly string[]): ReinError {
  const remedy = allowed.length === 0 ? 'It has none.' : `There are: ${allowed.join(', ')}.`;
  return new ReinError('config', `there is no ${what} named "${word.slice(0, 80)}"${didYouMean(word, allowed)}`, {
    remedy,
  });
}
