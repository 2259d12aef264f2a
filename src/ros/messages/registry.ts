/** Message types by ROS name, and their fields by paths such as `linear_acceleration.x`, as used in configurations. */
import { editDistance, ReinError } from '../../model/index.ts';
import * as definitions from './definitions.ts';
import type { MessageField, MessageType } from './message-type.ts';

/** All message types of Rein, sorted by name. */
export const MESSAGE_TYPES: readonly MessageType<unknown>[] = Object.values<object>(definitions)
  .filter((one): one is MessageType<unknown> => 'decode' in one)
  .sort((a, b) => (a.name < b.name ? -1 : 1));

const byName: ReadonlyMap<string, MessageType<unknown>> = new Map(MESSAGE_TYPES.map((type) => [type.name, type]));

/** Largest edit distance of a suggested name. */
const NEAR = 4;

/** Type called `name`, such as `sensor_msgs/msg/Imu`. Throws `ReinError('config', …)` that lists the known ones. */
export function messageType(name: string): MessageType<unknown> {
  const type = byName.get(name);
  if (type !== undefined) return type;
  const nearest = nearestName(name);
  throw new ReinError('config', `The ROS message type ${JSON.stringify(name)} is not known here.`, {
    remedy:
      (nearest === undefined ? '' : `Did you mean ${nearest}? `) +
      `Known are ${MESSAGE_TYPES.map((known) => known.name).join(', ')}.`,
  });
}

/** Similar type name: without `/msg/`, in other case, or with a few wrong letters. */
function nearestName(name: string): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace('/msg/', '/');
  const wanted = plain(name);
  let nearest: string | undefined;
  let least = NEAR + 1;
  for (const known of byName.keys()) {
    const full = plain(known);
    // The package may have been left out.
    const distance = Math.min(editDistance(wanted, full), editDistance(wanted, full.slice(full.indexOf('/') + 1)));
    if (distance < least) {
      least = distance;
      nearest = known;
    }
  }
  return nearest;
}

/** Field found by its path. */
export interface FieldAt {
  readonly path: string;
  readonly field: MessageField;
  /** Its value in `message`: not a copy. */
  get(message: unknown): unknown;
}

/** Paths of everything in `type` that is not itself a single nested message: `header.stamp.sec`, `name`, `position`, … */
export function fieldPaths(type: MessageType<unknown>): string[] {
  return type.fields.flatMap(({ name, kind, shape, type: nested }) =>
    kind === 'message' && shape === 'single' && nested !== undefined
      ? fieldPaths(nested).map((path) => `${name}.${path}`)
      : [name],
  );
}

/** Finds the field at `path`. Throws `ReinError('config', …)` that lists the fields instead. */
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
