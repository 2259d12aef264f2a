/** A command of `rein` as data: its options are a schema, from which commander's are made, and its body is loaded on demand. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Configured, type OptionField, optionFields, type optionsOf, valueReader } from '../schema/index.ts';

type Options = ReturnType<typeof optionsOf>;

export interface CommandSpec<O extends Options = Options> {
  /** Such as `sim` or `safety check`. */
  readonly name: string;
  readonly description: string;
  /** Text below the options in `--help`. */
  readonly help: string;
  readonly options: O;
  /** The command brings an arm or files to an orderly end on SIGTERM. Default: it just exits. */
  readonly endsInOrder?: boolean;
  /** Returns the problem of a combination of individually valid options. */
  readonly misuse?: (options: Configured<O>) => string | undefined;
}

/** Resolves to the process's exit code: 0 done, 1 done but the target was missed; throws `ReinError` if it cannot be done. */
export type CommandBody<T> = (options: T) => Promise<number>;

export function defineCommand<O extends Options>(spec: CommandSpec<O>): CommandSpec<O> {
  return spec;
}

/** A command with its body. */
export interface RunnableCommand {
  readonly spec: CommandSpec;
  /** Loads the body. */
  readonly load: () => Promise<CommandBody<never>>;
}

/** The body is loaded when the command runs, so that `--help` is quick and loads nothing native; it takes the options of `spec`. */
export function runnable<O extends Options>(
  spec: CommandSpec<O>,
  load: () => Promise<CommandBody<Configured<O>>>,
): RunnableCommand {
  return { spec: spec as unknown as CommandSpec, load };
}

/** Creates the commander command with its `--help`. `run` receives all options of the command line, with their defaults. */
export function commanderOf(spec: CommandSpec, run: (options: Record<string, unknown>) => Promise<void>): Command {
  const command = new Command(spec.name.split(' ').at(-1)).description(spec.description);
  const fields = optionFields(spec.options);
  const positional = fields.filter(({ flags }) => /^[<[]/.test(flags));
  for (const field of positional) command.argument(field.flags, field.description, readerOf(field));
  const named = fields
    .filter((field) => !positional.includes(field))
    .map((field) => ({ field, option: optionFrom(field) }));
  for (const { field, option } of named) {
    const others = named.filter((other) => field.conflicts?.includes(other.field.key));
    command.addOption(option.conflicts(others.map((other) => other.option.attributeName())));
  }
  return command.addHelpText('after', spec.help).action(async (...written: unknown[]) => {
    const parsed = command.opts();
    const options: Record<string, unknown> = {};
    positional.forEach(({ key }, i) => {
      options[key] = written[i];
    });
    for (const { field, option } of named) {
      const value: unknown = parsed[option.attributeName()];
      options[field.key] = value === true && field.given !== undefined ? field.given : (value ?? field.default);
    }
    const trouble = spec.misuse?.(options);
    if (trouble !== undefined) command.error(`error: ${trouble}`);
    await run(options);
  });
}

function optionFrom(field: OptionField): Option {
  const option = new Option(field.flags, field.description).makeOptionMandatory(field.isRequired);
  if (field.choices !== undefined) option.choices(field.choices);
  else if (!option.isBoolean()) option.argParser(readerOf(field));
  const isShown = ['string', 'number'].includes(typeof field.default) && field.given === undefined;
  if (isShown || field.defaultText !== undefined) option.default(field.default, field.defaultText);
  return option;
}

/** Reader of single values, for programs with their own command line. */
export function argument<T>(schema: Parameters<typeof valueReader<T>>[0]): (text: string) => T {
  const read = readerOf({ read: valueReader(schema) });
  return (text) => read(text, undefined);
}

/** Reports read errors as commander's misuse. */
function readerOf<T>({
  read,
}: {
  readonly read: (text: string, before: unknown) => T;
}): (text: string, before: unknown) => T {
  return (text, before) => {
    try {
      return read(text, before);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

/** End of every command's help. */
export const EXIT_CODES = `
Exit codes:
  0  done
  1  it could not be done, or the task's target was missed; the line that begins with "rein:" says why
  2  the command line was not understood
  130  Ctrl+C ended it`;
