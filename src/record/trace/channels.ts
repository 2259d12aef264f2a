/**
 * What a run says in formats of others: channels with JSON schemas, and the messages that each packet of the stream becomes. Events are
 * Foxglove's `Log`; what has no schema there is one of ours, with the names that the stream uses.
 */
import { Log } from '@foxglove/schemas/jsonschema.js';
import {
  asObject,
  DECIDERS,
  decodeJson,
  decodeNumbers,
  FRAME_LAYOUT,
  type FrameView,
  kindOf,
  SAFETY_STATES,
  SOURCES,
  STEP_LAYOUT,
  type StepView,
} from '../../core/index.ts';

/** What a file or a client is told of: a topic, how its messages are meant, and their JSON schema. */
export interface TraceChannel {
  readonly topic: string;
  readonly schemaName: string;
  readonly schema: unknown;
}

/** A message of the channel of that topic; a plain object, which becomes JSON. */
export interface TraceMessage {
  readonly topic: Topic;
  /** Since 1970, ms. */
  readonly atMs: number;
  readonly message: unknown;
}

export type Topic = '/run' | '/step' | '/frame' | '/episode' | '/intervention' | '/log';

type Schema = Readonly<Record<string, unknown>>;

/** The schema of an object with these members. */
function objectOf(title: string, description: string, properties: Readonly<Record<string, Schema>>): Schema {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, description, type: 'object', properties };
}

/** Numbers that JSON has not are null. */
const NUMBER: Schema = { type: ['number', 'null'] };
const NUMBERS: Schema = { type: 'array', items: NUMBER };
const TEXT: Schema = { type: 'string' };
const FLAG: Schema = { type: 'boolean' };

function membersOf(scalars: readonly string[], arrays: readonly string[]): Record<string, Schema> {
  return Object.fromEntries([
    ...scalars.map((key): [string, Schema] => [key, NUMBER]),
    ...arrays.map((key): [string, Schema] => [key, NUMBERS]),
  ]);
}

const STEP = objectOf('rein.Step', 'One policy step: what was seen, wanted and executed', {
  ...membersOf(STEP_LAYOUT.scalars, STEP_LAYOUT.arrays),
  sourceName: { enum: SOURCES },
});
const FRAME = objectOf('rein.Frame', "The guard's frame at the end of a step; units are in the names", {
  ...membersOf(FRAME_LAYOUT.scalars, FRAME_LAYOUT.arrays),
  stateName: { enum: SAFETY_STATES },
  deciderName: { enum: DECIDERS },
});
const EPISODE = objectOf('rein.Episode', 'How an episode ended', {
  episode: NUMBER,
  purpose: TEXT,
  success: FLAG,
  endedBy: TEXT,
  steps: NUMBER,
  returnSum: NUMBER,
  interventions: NUMBER,
  interventionSteps: NUMBER,
});
const INTERVENTION = objectOf('rein.Intervention', 'Somebody takes over, or gives back', {
  isActive: FLAG,
  operator: TEXT,
  decidedBy: TEXT,
  episode: NUMBER,
  step: NUMBER,
  durationS: NUMBER,
});
const RUN = objectOf('rein.Run', 'What the run is: task, robot, and the order of numbers', { runId: TEXT });

export const CHANNELS: readonly (TraceChannel & { readonly topic: Topic })[] = [
  { topic: '/run', schemaName: 'rein.Run', schema: RUN },
  { topic: '/step', schemaName: 'rein.Step', schema: STEP },
  { topic: '/frame', schemaName: 'rein.Frame', schema: FRAME },
  { topic: '/episode', schemaName: 'rein.Episode', schema: EPISODE },
  { topic: '/intervention', schemaName: 'rein.Intervention', schema: INTERVENTION },
  { topic: '/log', schemaName: 'foxglove.Log', schema: Log },
];

/** Levels of `foxglove.Log`. */
const LEVELS: Readonly<Record<string, number>> = { info: 2, warn: 3, error: 4 };

/** Turns packets into messages, and keeps of them when things happened: frames say how the robot's clock goes, all else follows it. */
export class Translation {
  /** Ms since 1970 less ms of the robot's clock. */
  #offsetMs: number | undefined;
  #newestMs: number = Number.NaN;

  /** The messages that `packet` is; none where it is of no kind that is recorded, or no packet. */
  messages(packet: Uint8Array): readonly TraceMessage[] {
    switch (kindOf(packet)) {
      case 'frame':
        return this.#frame(decodeNumbers<FrameView>(FRAME_LAYOUT, packet));
      case 'step':
        return this.#step(decodeNumbers<StepView>(STEP_LAYOUT, packet));
      case 'run':
        return this.#told('/run', decodeJson(packet));
      case 'episode':
        return this.#told('/episode', decodeJson(packet));
      case 'intervention':
        return this.#told('/intervention', decodeJson(packet));
      case 'event':
      case 'notice':
        return this.#log(asObject(decodeJson(packet)) ?? {});
      default:
        return [];
    }
  }

  #frame(view: FrameView): TraceMessage[] {
    const robotMs = 1e3 * view.measuredAtS;
    this.#offsetMs ??= Date.now() - robotMs;
    this.#newestMs = this.#offsetMs + robotMs;
    const names = { stateName: SAFETY_STATES[view.state], deciderName: DECIDERS[view.decider] };
    return [{ topic: '/frame', atMs: this.#newestMs, message: { ...plain(view), ...names } }];
  }

  /** A step comes before the frame of its end. */
  #step(view: StepView): TraceMessage[] {
    const message = { ...plain(view), sourceName: SOURCES[view.source] };
    return [{ topic: '/step', atMs: this.#timeOf({}), message }];
  }

  #told(topic: Topic, message: unknown): TraceMessage[] {
    return [{ topic, atMs: this.#timeOf(asObject(message) ?? {}), message }];
  }

  #log(told: Readonly<Record<string, unknown>>): TraceMessage[] {
    const { level, name, message, line, remedy } = told;
    const text = [message ?? line, remedy].filter((part) => typeof part === 'string' && part !== '').join(' ');
    const atMs = this.#timeOf(told);
    const log = {
      timestamp: stampOf(atMs),
      level: LEVELS[String(level)] ?? LEVELS['info'],
      message: text,
      name: typeof name === 'string' ? name : 'rein',
      file: '',
      line: 0,
    };
    return [{ topic: '/log', atMs, message: log }];
  }

  /** By the robot's clock where it is told; else when the newest was. */
  #timeOf({ atS }: Readonly<Record<string, unknown>>): number {
    if (typeof atS === 'number' && this.#offsetMs !== undefined) return this.#offsetMs + 1e3 * atS;
    return Number.isNaN(this.#newestMs) ? Date.now() : this.#newestMs;
  }
}

/** Time as Foxglove's schemas have it. */
export function stampOf(atMs: number): { readonly sec: number; readonly nsec: number } {
  const sec = Math.floor(atMs / 1e3);
  return { sec, nsec: Math.floor((atMs - 1e3 * sec) * 1e6) };
}

/** Numbers to the sixth place: micrometres, microradians; more digits would only be longer. */
function plain(view: FrameView | StepView): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(view) as [string, number | Float64Array][]) {
    out[key] = typeof value === 'number' ? rounded(value) : Array.from(value, rounded);
  }
  return out;
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
