/** Fault of one field. Internal to the codec: while it propagates it collects the path, and leaves as a `ReinError`. */
import { ReinError } from '../../model/index.ts';

export class FieldFault extends Error {
  /** Path within the message: `points[3].positions`. */
  path = '';
}

export function fault(message: string): FieldFault {
  return new FieldFault(message);
}

/** Prepends a path segment to a `FieldFault`. Other errors pass unchanged. */
export function within(place: string, error: unknown): unknown {
  if (error instanceof FieldFault) {
    const separator = error.path === '' || error.path.startsWith('[') ? '' : '.';
    error.path = place + separator + error.path;
  }
  return error;
}

/** Error for the codec's caller: `sensor_msgs/msg/JointState.position: …`. */
export function asReinError(typeName: string, error: unknown): unknown {
  if (!(error instanceof FieldFault)) return error;
  const where = error.path === '' ? typeName : `${typeName}.${error.path}`;
  return new ReinError('message', `${where}: ${error.message}`);
}

/** Short description of a value for an error, never the content of something large. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === 'number' || typeof value === 'boolean') return `the ${typeof value} ${value}`;
  if (typeof value === 'bigint') return `the bigint ${value}`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (ArrayBuffer.isView(value)) return `a ${Object.prototype.toString.call(value).slice(8, -1)}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
