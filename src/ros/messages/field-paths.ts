/** Fields by path, such as `linear_acceleration.x`: what a configuration names, and code reads from a message. */
import { ReinError } from '../../core/index.ts';
import type { MessageField, MessageType } from './message-type.ts';

/** A field that was found by its path. */
export interface FieldAt {
  readonly path: string;
  readonly field: MessageField;
  /** Its value in `message`: the message's own, not a copy. */
  get(message: unknown): unknown;
}

/** The fields of `type`, in the order of its definition. */
export function fieldsOf(type: MessageType<unknown>): readonly MessageField[] {
  return type.fields;
}

/** Paths of everything in `type` that is not itself a single nested message: `header.stamp.sec`, `name`, `position`, … */
export function fieldPaths(type: MessageType<unknown>): string[] {
  return type.fields.flatMap(({ name, kind, shape, type: nested }) =>
    kind === 'message' && shape === 'single' && nested !== undefined
      ? fieldPaths(nested).map((path) => `${name}.${path}`)
      : [name],
  );
}

/** Finds the field at `path`. Throws `ReinError('config', …)` that says what there is instead. */
export function fieldAt(type: MessageType<unknown>, path: string): FieldAt {
  const names = path.split('.');
  let at: MessageType<unknown> | undefined = type;
  let found: MessageField | undefined;
  for (const name of names) {
    found = at?.fields.find((field) => field.name === name);
    if (found === undefined) {
      throw new ReinError('config', `${type.name} has no field ${JSON.stringify(path)}.`, {
        remedy: `Fields that can be named are ${fieldPaths(type).join(', ')}.`,
      });
    }
    at = found.shape === 'single' ? found.type : undefined;
  }
  if (found === undefined) throw new TypeError('a path has at least one name');
  return { path, field: found, get: (message) => names.reduce(member, message) };
}

function member(value: unknown, name: string): unknown {
  return (value as Record<string, unknown>)[name];
}
