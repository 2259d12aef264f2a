/**
 * Run stream in third-party formats: channels with JSON schemas, and the messages for each packet. Foxglove's schemas
 * are used where they apply; the rest are custom schemas with the names of the stream.
 */
import { FrameTransforms, JointStates, Log, RawImage, SceneUpdate } from '@foxglove/schemas/jsonschema.js';
import { asObject } from '../../model/index.ts';
import {
  DECIDERS,
  decodeJson,
  decodeNumbers,
  FRAME_LAYOUT,
  type FrameView,
  kindOf,
  type PacketKind,
  type PictureView,
  SAFETY_STATES,
  SOURCES,
  STEP_LAYOUT,
  shownObjects,
} from '../../rows/index.ts';
import { type DrawnRun, RobotMessages, rounded, stampOf } from './foxglove.ts';

/** Channel as announced to a file or client: topic, schema name, and JSON schema of its messages. */
export interface Channel {
  readonly topic: string;
  readonly schemaName: string;
  readonly schema: unknown;
}

/** Message of the channel at index `channel` of `Translation.channels`; a plain object, which becomes JSON. */
export interface ChannelMessage {
  readonly channel: number;
  /** Since 1970, ms. */
  readonly atMs: number;
  readonly message: unknown;
}

type Schema = Readonly<Record<string, unknown>>;

/** Schema of an object with these members. */
function objectOf(title: string, description: string, properties: Readonly<Record<string, Schema>>): Schema {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, description, type: 'object', properties };
}

/** Numbers that JSON cannot represent are null. */
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
const INTERVENTION = objectOf('rein.Intervention', 'A person takes over, or gives control back', {
  isActive: FLAG,
  operator: TEXT,
  decidedBy: TEXT,
  episode: NUMBER,
  step: NUMBER,
  durationS: NUMBER,
});
const STATUS = objectOf('rein.Status', 'Where the run is and how it learns, as the screen shows it', {
  phase: TEXT,
  elapsedS: NUMBER,
  envSteps: NUMBER,
  updates: NUMBER,
  updatesPerS: NUMBER,
  utdAchieved: NUMBER,
});
const RUN = objectOf('rein.Run', 'What the run is: task, robot, and the order of numbers', { runId: TEXT });

/** Input of a channel's messages. */
interface Told {
  readonly view: Json;
  readonly atMs: number;
  readonly run: Json;
  /** Absent before the run has described the robot. */
  readonly robot: RobotMessages | undefined;
}

type Json = Readonly<Record<string, unknown>>;

interface OwnChannel extends Channel {
  /** Kinds of packets that it is made from. */
  readonly kinds: readonly PacketKind[];
  /** `undefined`: no message. */
  readonly message: (told: Told) => unknown;
}

const asTold = ({ view }: Told): unknown => view;
const asFrame = (view: Json): FrameView => view as unknown as FrameView;

export const CHANNELS: readonly OwnChannel[] = [
  { topic: '/run', schemaName: 'rein.Run', schema: RUN, kinds: ['run'], message: asTold },
  { topic: '/step', schemaName: 'rein.Step', schema: STEP, kinds: ['step'], message: stepMessage },
  { topic: '/frame', schemaName: 'rein.Frame', schema: FRAME, kinds: ['frame'], message: frameMessage },
  {
    topic: '/joints',
    schemaName: 'foxglove.JointStates',
    schema: JointStates,
    kinds: ['frame'],
    message: ({ view, atMs, robot }) => {
      const { positionRad, velocityRadPerS, torqueNm } = asFrame(view);
      return robot?.joints(stampOf(atMs), positionRad, velocityRadPerS, torqueNm);
    },
  },
  {
    topic: '/joints/reference',
    schemaName: 'foxglove.JointStates',
    schema: JointStates,
    kinds: ['frame'],
    message: ({ view, atMs, robot }) => robot?.joints(stampOf(atMs), asFrame(view).referenceRad),
  },
  {
    topic: '/tf',
    schemaName: 'foxglove.FrameTransforms',
    schema: FrameTransforms,
    kinds: ['frame'],
    message: ({ view, atMs, robot, run }) => {
      const { positionRad, referenceRad, objects, signals } = asFrame(view);
      const { task } = run as { readonly task?: { readonly signalNames?: readonly string[] } };
      const names = (run['objects'] ?? []) as readonly string[];
      const shown = shownObjects(names, task?.signalNames ?? [], { objects, signals });
      return robot?.transforms(stampOf(atMs), positionRad, referenceRad, shown);
    },
  },
  {
    topic: '/scene',
    schemaName: 'foxglove.SceneUpdate',
    schema: SceneUpdate,
    kinds: ['run'],
    message: ({ atMs, robot }) => robot?.scene(stampOf(atMs)),
  },
  { topic: '/episode', schemaName: 'rein.Episode', schema: EPISODE, kinds: ['episode'], message: asTold },
  {
    topic: '/intervention',
    schemaName: 'rein.Intervention',
    schema: INTERVENTION,
    kinds: ['intervention'],
    message: asTold,
  },
  { topic: '/status', schemaName: 'rein.Status', schema: STATUS, kinds: ['status'], message: asTold },
  { topic: '/log', schemaName: 'foxglove.Log', schema: Log, kinds: ['event', 'notice'], message: logMessage },
];

/** Channels of a run: the common ones, then one per camera. */
function channelsOf(run: Json): readonly OwnChannel[] {
  const { cameras = [] } = (run['task'] ?? {}) as { readonly cameras?: readonly { readonly name: string }[] };
  return [
    ...CHANNELS,
    ...cameras.map(({ name }): OwnChannel => {
      const message = ({ view, atMs }: Told): unknown => imageMessage(view, name, atMs);
      return {
        topic: `/camera/${name}`,
        schemaName: 'foxglove.RawImage',
        schema: RawImage,
        kinds: ['pictures'],
        message,
      };
    }),
  ];
}

function imageMessage(view: Json, name: string, atMs: number): unknown {
  const { pictures } = view as unknown as { readonly pictures: readonly PictureView[] };
  const picture = pictures.find((each) => each.name === name);
  if (picture === undefined) return undefined;
  const { widthPx, heightPx, channels, data } = picture;
  return {
    timestamp: stampOf(atMs),
    frame_id: name,
    width: widthPx,
    height: heightPx,
    encoding: channels === 1 ? 'mono8' : 'rgb8',
    step: channels * widthPx,
    data,
  };
}

/** Converts packets to messages, and tracks time: frames give the offset of the robot's clock, all else follows it. */
export class Translation {
  /** Ms since 1970 less ms of the robot's clock. */
  #offsetMs: number | undefined;
  #newestMs: number = Number.NaN;
  #run: Json = {};
  #channels: readonly OwnChannel[] = CHANNELS;
  #robot: RobotMessages | undefined;

  /** Channels of the run, whose packet lists its cameras; `CHANNELS` come first. */
  get channels(): readonly OwnChannel[] {
    return this.#channels;
  }

  /** Messages of `packet` on the wanted channels; empty if it is no packet, or of a kind without channels. */
  messages(packet: Uint8Array, isWanted: (channel: number) => boolean = () => true): readonly ChannelMessage[] {
    const kind = kindOf(packet);
    if (kind === undefined) return [];
    const wanted = this.#channels.flatMap(({ kinds }, i) => (kinds.includes(kind) && isWanted(i) ? [i] : []));
    // Frames and runs update the state in any case.
    if (wanted.length === 0 && kind !== 'frame' && kind !== 'run') return [];
    const view = viewOf(kind, packet);
    const atMs = this.#timeOf(kind, view);
    if (kind === 'run') this.#take(view);
    const told = { view, atMs, run: this.#run, robot: this.#robot };
    return wanted.flatMap((channel) => {
      const message = this.#channels[channel]!.message(told);
      return message === undefined ? [] : [{ channel, atMs, message }];
    });
  }

  #take(run: Json): void {
    this.#run = run;
    this.#channels = channelsOf(run);
    this.#robot = run['robot'] === undefined ? undefined : new RobotMessages(run as unknown as DrawnRun);
  }

  /** Robot clock if given; otherwise the newest time: a step comes before the frame of its end. */
  #timeOf(kind: PacketKind, view: Json): number {
    const atS = kind === 'frame' ? view['measuredAtS'] : view['atS'];
    if (kind === 'frame' && Number.isFinite(atS)) {
      this.#offsetMs ??= Date.now() - 1e3 * Number(atS);
      this.#newestMs = this.#offsetMs + 1e3 * Number(atS);
      return this.#newestMs;
    }
    if (typeof atS === 'number' && this.#offsetMs !== undefined) return this.#offsetMs + 1e3 * atS;
    // Before the first frame only wall-clock time is known.
    if (atS === null && typeof view['atMs'] === 'number') return view['atMs'];
    return Number.isNaN(this.#newestMs) ? Date.now() : this.#newestMs;
  }
}

function viewOf(kind: PacketKind, packet: Uint8Array): Json {
  if (kind === 'frame') return decodeNumbers(FRAME_LAYOUT, packet) as unknown as Json;
  if (kind === 'step') return decodeNumbers(STEP_LAYOUT, packet) as unknown as Json;
  return asObject(decodeJson(packet)) ?? {};
}

function frameMessage({ view }: Told): unknown {
  const { state, decider } = asFrame(view);
  return { ...plain(view), stateName: SAFETY_STATES[state], deciderName: DECIDERS[decider] };
}

function stepMessage({ view }: Told): unknown {
  return { ...plain(view), sourceName: SOURCES[Number(view['source'])] };
}

/** Levels of `foxglove.Log`. */
const LEVELS: Readonly<Record<string, number>> = { info: 2, warn: 3, error: 4 };

function logMessage({ view, atMs }: Told): unknown {
  const { level, name, message, line, remedy } = view;
  const text = [message ?? line, remedy].filter((part) => typeof part === 'string' && part !== '').join(' ');
  return {
    timestamp: stampOf(atMs),
    level: LEVELS[String(level)] ?? LEVELS['info'],
    message: text,
    name: typeof name === 'string' ? name : 'rein',
    file: '',
    line: 0,
  };
}

function plain(view: Json): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(view) as [string, number | Float64Array][]) {
    out[key] = typeof value === 'number' ? rounded(value) : Array.from(value, rounded);
  }
  return out;
}
