/**
 * Options of a command: how each is written, in one place with its default and with what it may be. The same schema reads the command
 * line, gives the options their type, and checks them where another process gets them as JSON.
 */
import { z } from 'zod';
import { parseJson } from '../core/index.ts';

/** How an option stands on the command line and in its help. */
interface OptionWords {
  /** `--seed <n>`; `--quiet` for a switch; `<run>` for an argument. */
  readonly flags: string;
  readonly description: string;
  /** Value of a switch that is given. Default: true. */
  readonly given?: string;
  /** How help names the default, where its value says little. */
  readonly defaultText?: string;
  /** Keys of options that may not be given beside it. */
  readonly conflicts?: readonly string[];
  /** The value that is written as `text`; `before` is what the same option has given so far. Throws the reason. Default: by type. */
  readonly read?: (text: string, before: unknown) => unknown;
}

/** An option as a command line needs it. */
export interface OptionField extends Omit<OptionWords, 'read'> {
  readonly key: string;
  readonly isRequired: boolean;
  readonly default: unknown;
  readonly choices: readonly string[] | undefined;
  /** The checked value that is written as `text`. Throws the reason why it is none. */
  readonly read: (text: string, before: unknown) => unknown;
}

const words = z.registry<OptionWords>();

/** `schema` as an option. */
export function option<S extends z.ZodType>(
  schema: S,
  flags: string,
  description: string,
  rest: Partial<OptionWords> = {},
): S {
  words.add(schema, { flags, description, ...rest });
  return schema;
}

/** All options of a command by their keys; `Configured` of it is what the command is given. */
export function optionsOf<S extends z.ZodRawShape>(shape: S): z.ZodObject<S, z.core.$strict> {
  return z.strictObject(shape);
}

/** The options in `schema`, in their order. */
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

/** The checked value that is written as a text: by `read`, or by the schema's type. What it gives throws the reason why it is none. */
export function valueReader<T>(schema: z.ZodType<T>, read?: OptionWords['read']): (text: string, before: unknown) => T {
  return (text, before) => {
    const value = read === undefined ? plainValue(schema, text) : read(text, before);
    const checked = schema.safeParse(value);
    if (checked.success) return checked.data;
    throw new RangeError(checked.error.issues[0]?.message);
  };
}

/** Numbers are written in digits: what else JavaScript takes for one is a slip. */
function plainValue(inner: z.ZodType, text: string): unknown {
  if (!(inner instanceof z.ZodNumber)) return text;
  const digits = inner.format === 'safeint' ? /^\d+$/ : /^\d+(\.\d+)?$/;
  return digits.test(text) ? Number(text) : Number.NaN;
}

/** A whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): z.ZodNumber {
  const error = `It must be a whole number from ${min} to ${max}.`;
  return z.number(error).int(error).min(min, error).max(max, error);
}

/** 24 days: a timer of the platform counts milliseconds in 31 bits and, beyond, ends at once. */
const MAX_SECONDS = 2_000_000;

/** Seconds; more than none unless `least` is `none`. */
export function seconds(least: 'some' | 'none' = 'some'): z.ZodNumber {
  const error = `It must be a number of seconds > 0 and at most ${MAX_SECONDS}, without a unit.`;
  const any = z.number(error).max(MAX_SECONDS, error);
  return least === 'none' ? any.min(0, error) : any.gt(0, error);
}

/** A path, or the name of something: any text that is not empty. */
export function path(): z.ZodString {
  return z.string().min(1, 'It must not be empty.');
}

/** `tcp://host:port`. `lowestPort` 0 stands for any free one. Which hosts are allowed is the link's to say. */
export function tcpAddress(lowestPort: 0 | 1 = 1): z.ZodString {
  return z.string().refine((text) => {
    const match = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(text);
    return match !== null && Number(match[2]) >= lowestPort && Number(match[2]) <= 65_535;
  }, 'It must be an address such as tcp://127.0.0.1:7350.');
}

/** One of some words. */
export function oneOf<const W extends readonly [string, ...string[]]>(
  ...allowed: W
): z.ZodEnum<z.core.util.ToEnum<W[number]>> {
  return z.enum(allowed);
}

/** Any text. */
export function text(): z.ZodString {
  return z.string();
}

/** The seed, `start` where it is not given. The largest survives JSON and a double. */
export function seedOption(start = 0): z.ZodDefault<z.ZodNumber> {
  const description = 'seed of every random number; the same seed repeats a simulated run';
  return option(wholeNumber(0, Number.MAX_SAFE_INTEGER).default(start), '--seed <n>', description);
}

/** The name of a task. */
export function taskOption<S extends z.ZodType<string | undefined>>(schema: S, defaultText?: string): S {
  const rest = defaultText === undefined ? {} : { defaultText };
  return option(schema, '--task <name>', 'name of a file in config/tasks/, or a path ending in .yaml', rest);
}

/** The overlay. */
export function configOption(): z.ZodOptional<z.ZodString> {
  return option(
    text().optional(),
    '--config <file>',
    'YAML file laid over task, robot and learner; see docs/config.md',
  );
}

/** Of commands that write what is to be kept. */
export function forceOption(): z.ZodDefault<z.ZodBoolean> {
  return switchOption('--force', 'write over a file that is there');
}

/** `quiet`: nothing but `what` and errors is printed. */
export function outputOption(what = 'the last summary'): z.ZodDefault<z.ZodEnum<{ live: 'live'; quiet: 'quiet' }>> {
  return option(oneOf('live', 'quiet').default('live'), '--quiet', `print ${what} and errors only`, { given: 'quiet' });
}

/** Whether what a run does is written for viewers. */
export function traceOption(): z.ZodDefault<z.ZodEnum<{ on: 'on'; off: 'off' }>> {
  return option(oneOf('on', 'off').default('on'), '--trace <on|off>', 'write trace.mcap: every step, as MCAP');
}

/** Where the page for browsers is served, and who may use it. */
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

/** A file or folder that may be named. */
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

/** How fast an arm's points may be. `defaultText`: of a command in which something else than people may decide. */
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

/** Its default where a policy may decide. */
export const BY_WHO_DECIDES = 'full; reduced where there is no policy and no learner, and only people drive';

/** A switch, off where it is not given. */
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

/** Several of `each`; read by `collect`. */
export function listOf<S extends z.ZodType>(each: S): z.ZodArray<S> {
  return z.array(each);
}

/** For an option that may be given several times: all that it was given. */
export function collect(word: string, before: unknown): unknown {
  return [...((before as readonly string[] | undefined) ?? []), word];
}

/** `key=value`, which may be given several times; `pattern` has key and value as its groups. */
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

/** A value that is set on the command line. */
type SetValue = string | number | boolean;

/** The same with values as YAML and JSON write them: `2`, `true`, `[8,8]`. `V`: what the keys that there are may be. */
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
