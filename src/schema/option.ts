/**
 * Options of a command: flags, default and allowed values of each in one place. The same schema parses the command
 * line, gives the options their type, and validates them when another process receives them as JSON.
 */
import { z } from 'zod';
import { parseJson } from '../model/index.ts';

/** Presentation of an option on the command line and in its help. */
interface OptionWords {
  /** `--seed <n>`; `--quiet` for a switch; `<run>` for an argument. */
  readonly flags: string;
  readonly description: string;
  /** Value of a switch that is set. Default: true. */
  readonly given?: string;
  /** The default as shown in the help, if its value says little. */
  readonly defaultText?: string;
  /** Keys of options that must not be combined with it. */
  readonly conflicts?: readonly string[];
  /** Parses `text`; `before` is the value from earlier occurrences of the option. Throws the reason. Default: by type. */
  readonly read?: (text: string, before: unknown) => unknown;
}

/** An option as needed by a command line parser. */
export interface OptionField extends Omit<OptionWords, 'read'> {
  readonly key: string;
  readonly isRequired: boolean;
  readonly default: unknown;
  readonly choices: readonly string[] | undefined;
  /** Parses and validates `text`. Throws the reason if it is invalid. */
  readonly read: (text: string, before: unknown) => unknown;
}

const words = z.registry<OptionWords>();

/** Registers `schema` as an option. */
export function option<S extends z.ZodType>(
  schema: S,
  flags: string,
  description: string,
  rest: Partial<OptionWords> = {},
): S {
  words.add(schema, { flags, description, ...rest });
  return schema;
}

/** All options of a command by their keys; `Configured` of it is the command's input type. */
export function optionsOf<S extends z.ZodRawShape>(shape: S): z.ZodObject<S, z.core.$strict> {
  return z.strictObject(shape);
}

/** The options in `schema`, in order. */
export function optionFields(schema: z.ZodObject): readonly OptionField[] {
  return Object.entries(schema.shape).map(([key, field]) => fieldOf(key, field as z.ZodType));
}

function fieldOf(key: string, schema: z.ZodType): OptionField {
  const said = words.get(schema);
  if (said === undefined) throw new TypeError(`the option ${key} has no flags`);
  const isWrapped = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional;
  const inner = isWrapped ? (schema.unwrap() as z.ZodType) : schema;
  return {
    ...said,
    key,
    isRequired: !isWrapped,
    default: schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined,
    choices: inner instanceof z.ZodEnum && said.given === undefined ? (inner.options as string[]) : undefined,
    read: valueReader(inner, said.read),
  };
}

/** Returns a parser of `schema`: by `read`, or by the schema's type. The parser throws the reason if the text is invalid. */
export function valueReader<T>(schema: z.ZodType<T>, read?: OptionWords['read']): (text: string, before: unknown) => T {
  return (text, before) => {
    const value = read === undefined ? plainValue(schema, text) : read(text, before);
    const checked = schema.safeParse(value);
    if (checked.success) return checked.data;
    throw new RangeError(checked.error.issues[0]?.message);
  };
}

/** Parses numbers in plain digits only: other forms that JavaScript accepts are mistakes. */
function plainValue(inner: z.ZodType, text: string): unknown {
  if (!(inner instanceof z.ZodNumber)) return text;
  const digits = inner.format === 'safeint' ? /^\d+$/ : /^\d+(\.\d+)?$/;
  return digits.test(text) ? Number(text) : Number.NaN;
}

/** An integer from `min` to `max`. */
export function wholeNumber(min: number, max: number): z.ZodNumber {
  const error = `It must be a whole number from ${min} to ${max}.`;
  return z.number(error).int(error).min(min, error).max(max, error);
}

/** 24 days: a timer counts milliseconds in 31 bits and fires at once beyond that. */
const MAX_SECONDS = 2_000_000;

/** Seconds; > 0, or ≥ 0 if `least` is `none`. */
export function seconds(least: 'some' | 'none' = 'some'): z.ZodNumber {
  const error = `It must be a number of seconds > 0 and at most ${MAX_SECONDS}, without a unit.`;
  const any = z.number(error).max(MAX_SECONDS, error);
  return least === 'none' ? any.min(0, error) : any.gt(0, error);
}

/** A path or a name: any non-empty text. */
export function path(): z.ZodString {
  return z.string().min(1, 'It must not be empty.');
}

/** `tcp://host:port`. `lowestPort` 0 allows port 0 for any free one. The link decides on allowed hosts. */
export function tcpAddress(lowestPort: 0 | 1 = 1): z.ZodString {
  return z.string().refine((text) => {
    const match = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(text);
    return match !== null && Number(match[2]) >= lowestPort && Number(match[2]) <= 65_535;
  }, 'It must be an address such as tcp://127.0.0.1:7350.');
}

/** One of the words `allowed`. */
export function oneOf<const W extends readonly [string, ...string[]]>(
  ...allowed: W
): z.ZodEnum<z.core.util.ToEnum<W[number]>> {
  return z.enum(allowed);
}

/** Any text. */
export function text(): z.ZodString {
  return z.string();
}

/** The seed; default `start`. The largest survives JSON and a double. */
export function seedOption(start = 0): z.ZodDefault<z.ZodNumber> {
  const description = 'seed of every random number; the same seed repeats a simulated run';
  return option(wholeNumber(0, Number.MAX_SAFE_INTEGER).default(start), '--seed <n>', description);
}

/** The name of a task. */
export function taskOption<S extends z.ZodType<string | undefined>>(schema: S, defaultText?: string): S {
  const rest = defaultText === undefined ? {} : { defaultText };
  return option(schema, '--task <name>', 'name of a file in config/tasks/, or a path ending in .yaml', rest);
}

/** The overlay file. */
export function configOption(): z.ZodOptional<z.ZodString> {
  return option(
    text().optional(),
    '--config <file>',
    'YAML file laid over task, robot and learner; see docs/config.md',
  );
}

/** For commands that write files to be kept. */
export function forceOption(): z.ZodDefault<z.ZodBoolean> {
  return switchOption('--force', 'write over a file that is there');
}

/** `quiet`: prints only `what` and errors. */
export function outputOption(what = 'the last summary'): z.ZodDefault<z.ZodEnum<{ live: 'live'; quiet: 'quiet' }>> {
  return option(oneOf('live', 'quiet').default('live'), '--quiet', `print ${what} and errors only`, { given: 'quiet' });
}

/** Enables the trace of a run for viewers. */
export function traceOption(): z.ZodDefault<z.ZodEnum<{ on: 'on'; off: 'off' }>> {
  return option(oneOf('on', 'off').default('on'), '--trace <on|off>', 'write trace.mcap: every step, as MCAP');
}

/** Address of the monitor page for browsers, and its access control. */
export function monitorOptions(firstPort = 7400): {
  readonly monitor: z.ZodOptional<z.ZodString>;
  readonly monitorToken: z.ZodOptional<z.ZodString>;
  readonly monitorCert: z.ZodOptional<z.ZodString>;
  readonly monitorKey: z.ZodOptional<z.ZodString>;
} {
  const file = (flags: string, description: string): z.ZodOptional<z.ZodString> => pathOption(flags, description);
  return {
    monitor: option(
      text().optional(),
      '--monitor <address>',
      'where the page for browsers is served: port, host:port, or off',
      {
        defaultText: `this machine only, port ${firstPort} or the next that is free`,
      },
    ),
    monitorToken: file(
      '--monitor-token <file>',
      'a file with the token that a page needs; a second one in it only watches',
    ),
    monitorCert: file(
      '--monitor-cert <file>',
      'certificate (PEM) of the monitor, for other addresses than this machine',
    ),
    monitorKey: file('--monitor-key <file>', 'its key (PEM)'),
  };
}

/** A path that may be given. */
export function pathOption(flags: string, description: string): z.ZodOptional<z.ZodString> {
  return option(path().optional(), flags, description);
}

/** When the robot may move first; a ROS node has its lifecycle for that. */
export function startOption(): z.ZodOptional<z.ZodEnum<{ ask: 'ask'; now: 'now' }>> {
  return option(
    oneOf('ask', 'now').optional(),
    '--start <when>',
    'ask: nothing moves before a person presses c here, or Start at the page; now: at once',
    { defaultText: 'ask; now where the robot is simulated' },
  );
}

/** Speed limit of an arm's points. `defaultText`: for a command in which a policy may decide. */
export function speedModeOption(
  defaultText = 'reduced',
): z.ZodOptional<z.ZodEnum<{ full: 'full'; reduced: 'reduced' }>> {
  return option(
    oneOf('full', 'reduced').optional(),
    '--speed-mode <mode>',
    "reduced: no point of an arm is moved faster than 0.25 m/s, or its file's reducedSpeedMPerS; full: as its file allows",
    { defaultText },
  );
}

/** Default where a policy may decide. */
export const BY_WHO_DECIDES = 'full; reduced if only people drive, without policy and learner';

/** A switch, off by default. */
export function switchOption(flags: string, description: string): z.ZodDefault<z.ZodBoolean> {
  return option(z.boolean().default(false), flags, description);
}

/** A number above 0 and at most `max`. */
export function positiveNumber(max: number): z.ZodNumber {
  const error = `It must be a number above 0 and at most ${max}, without a unit.`;
  return z.number(error).gt(0, error).max(max, error);
}

/** A number above 0 and below 1. */
export function share(): z.ZodNumber {
  const error = 'It must be a number above 0 and below 1.';
  return z.number(error).gt(0, error).lt(1, error);
}

/** A list of `each`; parsed by `collect`. */
export function listOf<S extends z.ZodType>(each: S): z.ZodArray<S> {
  return z.array(each);
}

/** Accumulates the values of an option that may be given several times. */
export function collect(word: string, before: unknown): unknown {
  return [...((before as readonly string[] | undefined) ?? []), word];
}

/** `key=value`, may be given several times; `pattern` captures key and value. */
export function recordOption(
  flags: string,
  description: string,
  pattern: RegExp,
  refusal: string,
): z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>> {
  const read = (word: string, before: unknown): unknown => {
    const [, key, value] = pattern.exec(word) ?? [];
    if (key === undefined || value === undefined) throw new RangeError(refusal);
    return { ...(before as object | undefined), [key]: value };
  };
  return option(z.record(z.string(), z.string()).default({}), flags, description, { read });
}

/** A value set on the command line. */
type SetValue = string | number | boolean;

/** Like `recordOption`, with values in YAML or JSON syntax: `2`, `true`, `[8,8]`. `V`: type of the allowed values. */
export function keyValueOption<V = SetValue | readonly SetValue[]>(
  flags: string,
  description: string,
): z.ZodDefault<z.ZodType<Readonly<Record<string, V>>>> {
  return option(z.custom<Readonly<Record<string, V>>>().default({}), flags, description, { read: readKeyValue });
}

function readKeyValue(word: string, before: unknown): unknown {
  const [, key, written] = /^([A-Za-z][\w.]*)=(.+)$/s.exec(word) ?? [];
  if (key === undefined || written === undefined) throw new RangeError('It must be key=value.');
  // A word needs no quotes.
  const value = parseJson(written) ?? written;
  if (typeof value !== 'object' || Array.isArray(value)) return { ...(before as object | undefined), [key]: value };
  throw new RangeError('The value must be a number, true, false, a word or a list of these.');
}
