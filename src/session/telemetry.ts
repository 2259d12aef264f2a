/**
 * A run as packets for its watchers (`src/rows/telemetry.ts`): one observable per subject, each throttled at this edge to what people and
 * recorders can use. Of a state the newest value is always sent in the end; events are all sent. Costs the run a copy of what is due, and
 * never waits for a receiver.
 */
import {
  asyncScheduler,
  filter,
  interval,
  map,
  merge,
  Observable,
  of,
  type SchedulerLike,
  Subject,
  type Subscription,
  throttle,
  timer,
} from 'rxjs';
import { SystemClock } from '../model/index.ts';
import type { Row } from '../record/index.ts';
import {
  encodeJson,
  encodeNumbers,
  FRAME_LAYOUT,
  type GuardFrame,
  type LearnerView,
  type PacketKind,
  type PictureView,
  type SceneLayout,
  STEP_LAYOUT,
  type Transition,
} from '../rows/index.ts';
import type { ObservationSource } from '../tasks/index.ts';
import { Pictures } from './pictures.ts';
import type { RunObserver } from './run-log.ts';
import { diagnosisRow, type RunNames, runViewOf } from './run-view.ts';
import type { LiveSession } from './session.ts';
import type { SessionListener } from './session-types.ts';
import type { RunStatus } from './status.ts';

/** Least interval between packets of a state, ms: 50 frames per second for displays and operators; all else at reading speed. */
export const PERIOD_MS = {
  frame: 20,
  step: 40,
  status: 200,
  session: 100,
  diagnosis: 1000,
  learner: 250,
  pictures: 250,
} as const;
type Throttled = keyof typeof PERIOD_MS;

/** Interval at which an unchanged session is sent again, ms. */
const ALIVE_MS = 200;

export interface TelemetryOptions extends RunNames {
  /** Takes a packet for people, and owns it then. Must be quick and must not throw. Absent: the run is not watched. */
  readonly send?: ((packet: Uint8Array) => void) | undefined;
  /** Sources of the values of the task's topics, in their order; absent: none, and cameras show nothing. */
  readonly observations?: readonly ObservationSource[] | undefined;
  /** `lockStep`: simulated time, and the robot, stand while a person is waited for. Default: real time. */
  readonly pace?: 'lockStep' | undefined;
  /** Takes packets for the record: steps, each followed by the frame of its end, and all events. Absent: none is kept. */
  readonly keep?: ((packet: Uint8Array) => void) | undefined;
}

/** Output of packets: states are throttled to what people can use, and the newest value of each is sent in the end. */
export class Edge {
  readonly #send: (packet: Uint8Array) => void;
  readonly #scheduler: SchedulerLike;
  readonly #subscriptions: Subscription[] = [];
  readonly #closing = new Subject<void>();

  /** `send`: takes each packet, and owns it then. Must be quick and must not throw. */
  constructor(send: (packet: Uint8Array) => void, scheduler: SchedulerLike = asyncScheduler) {
    this.#send = send;
    this.#scheduler = scheduler;
  }

  /** Sends the newest value of the state `source`: at once, and then every `PERIOD_MS` at most. `packetOf` is called for what is sent. */
  newest<T>(kind: Throttled, source: Observable<T>, packetOf: (value: T) => Uint8Array): void {
    const pause = (): Observable<unknown> => merge(timer(PERIOD_MS[kind], this.#scheduler), this.#closing);
    const thinned = source.pipe(throttle(pause, { leading: true, trailing: true }));
    this.#subscriptions.push(thinned.subscribe((value) => this.#send(packetOf(value))));
  }

  /** Passes on every value of `source`, as it comes. */
  each<T>(source: Observable<T>, take: (value: T) => void): void {
    this.#subscriptions.push(source.subscribe(take));
  }

  /** Sends newest values that were not sent yet; nothing follows. */
  close(): void {
    this.#closing.next();
    for (const subscription of this.#subscriptions.splice(0)) subscription.unsubscribe();
  }
}

/** Accumulates over the frames since the last one sent. */
class Since {
  filterBits = 0;
  tickLateMs = 0;

  /** Called for every frame. Allocates nothing. */
  add({ filterBits, tickLateS }: GuardFrame): void {
    this.filterBits |= filterBits;
    if (1e3 * tickLateS > this.tickLateMs) this.tickLateMs = 1e3 * tickLateS;
  }

  forget(): void {
    this.filterBits = 0;
    this.tickLateMs = 0;
  }
}

/**
 * Selects the steps that are kept: all in real time. A run that is faster, in lock-step, keeps whole episodes, no more of them than real
 * time would bring, so that recording costs it next to nothing; of the others, the steps from a person's first decision to the end.
 */
export class KeptSteps {
  readonly #periodMs: number;
  readonly #nowMs: () => number;
  readonly #startedMs: number;
  #episode = Number.NaN;
  #keeps = false;
  #keptMs = 0;

  constructor(periodMs: number, nowMs: () => number = () => performance.now()) {
    this.#periodMs = periodMs;
    this.#nowMs = nowMs;
    this.#startedMs = nowMs();
  }

  takes({ episode, source }: Pick<Transition, 'episode' | 'source'>): boolean {
    if (episode !== this.#episode) {
      this.#episode = episode;
      this.#keeps = this.#keptMs <= this.#nowMs() - this.#startedMs + SLACK_MS;
    }
    this.#keeps ||= source.startsWith('human');
    if (this.#keeps) this.#keptMs += this.#periodMs;
    return this.#keeps;
  }
}

/** Tolerance for the jitter of steps in real time, ms. */
const SLACK_MS = 1000;

export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #clock: SystemClock = new SystemClock();
  readonly #startedAtMs: number = Date.now();
  /** Output of the whole run, and of the attached session. */
  readonly #run: Edge;
  #session: Edge | undefined;
  readonly #statuses = new Subject<RunStatus>();
  readonly #diagnoses = new Subject<readonly Row[]>();
  readonly #notices = new Subject<string>();
  #objects: Float64Array = new Float64Array(0);
  #objectNames: readonly string[] = [];
  /** Accumulated between two frames that are sent, and between two that are kept. */
  readonly #sent: Since = new Since();
  readonly #kept: Since = new Since();
  #measuredAtS = Number.NaN;

  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#run = this.#edge();
    this.#sendRun();
    this.#run.each(this.#notices, (line) => this.#tell('notice', { line }));
    if (options.send === undefined) return;
    this.#run.newest('status', this.#statuses, (status) => encodeJson('status', status));
    this.#run.newest('diagnosis', this.#diagnoses, diagnosisPacket);
  }

  /** Wraps `inner`, so that its output is sent as packets too. */
  observer(inner: RunObserver): RunObserver {
    return {
      status: (status) => {
        inner.status(status);
        this.#statuses.next(status);
      },
      print: (line, atPage = line) => {
        inner.print(line);
        this.#notices.next(atPage);
      },
      diagnosis: (rows) => {
        inner.diagnosis?.(rows);
        this.#diagnoses.next(rows);
      },
    };
  }

  /** Sends packets of `session` until `detach`. */
  attach(session: LiveSession): void {
    const { send, keep } = this.#options;
    if (send === undefined && keep === undefined) return;
    const edge = this.#edge();
    this.#session = edge;
    const frames = observe(session, 'frame');
    const steps = observe(session, 'step');
    edge.each(frames, (frame) => this.#gather(frame));
    if (keep !== undefined) {
      const budget = new KeptSteps(1e3 / this.#options.setup.config.task.policyHz);
      edge.each(steps, (step) => {
        if (!budget.takes(step)) return;
        keep(stepPacket(step));
        keep(this.#frame(session.frame, this.#kept));
      });
    }
    if (send !== undefined) {
      const shown = this.#options.pace === 'lockStep' ? merge(frames, standingFrames(session)) : frames;
      edge.newest('frame', shown, (frame) => this.#frame(frame, this.#sent));
      // A step is reused, and overwritten while the previous one still waits: it is encoded at once.
      edge.newest('step', steps.pipe(map(stepPacket)), (packet) => packet);
      // Sent even without changes, so that silence shows the absence of a session.
      const alive = interval(ALIVE_MS).pipe(map(() => session.state));
      const states = merge(of(session.state), observe(session, 'state'), alive);
      edge.newest('session', states, (state) => encodeJson('session', state));
    }
    const { observations = [], setup } = this.#options;
    const pictures = new Pictures(setup.task.topics ?? [], observations);
    if (observations.length > 0) {
      edge.each(timer(0, PERIOD_MS.pictures), () => this.#show(pictures.take(this.#clock.nowS())));
    }
    edge.each(observe(session, 'scene'), (layout) => this.#arranged(layout));
    edge.each(observe(session, 'event'), ({ messageAtPage, ...event }) =>
      this.#tell('event', { ...event, message: messageAtPage ?? event.message }),
    );
    for (const kind of ['episode', 'intervention'] as const) {
      edge.each(observe<typeof kind>(session, kind), (value) => this.#tell(kind, value));
    }
  }

  /** Called when the session is over: sends its newest values. */
  detach(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  /** Sends the newest values; nothing follows. */
  close(): void {
    this.detach();
    this.#run.close();
  }

  #edge(): Edge {
    return new Edge((packet) => this.#options.send?.(packet));
  }

  #show(pictures: readonly PictureView[]): void {
    if (pictures.length > 0) this.#tell('pictures', { pictures });
  }

  /** Sends an event or picture, with wall time and robot time. */
  #tell(kind: PacketKind, value: object): void {
    const { send, keep } = this.#options;
    const packet = encodeJson(kind, { ...value, atMs: Date.now(), atS: this.#measuredAtS });
    keep?.(packet.slice());
    send?.(packet);
  }

  /** Poses of objects that no frame measures. */
  #arranged({ objects }: SceneLayout): void {
    const names = Object.keys(objects);
    if (names.join() !== this.#objectNames.join()) {
      this.#objectNames = names;
      this.#objects = new Float64Array(4 * names.length);
      this.#sendRun();
    }
    names.forEach((name, i) => {
      this.#objects.set(objects[name]!, 4 * i);
    });
  }

  #sendRun(): void {
    const { send, keep } = this.#options;
    const view = { ...runViewOf(this.#options), startedAtMs: this.#startedAtMs, objects: this.#objectNames };
    const packet = encodeJson('run', view);
    keep?.(packet.slice());
    send?.(packet);
  }

  /** Called for every frame. Allocates nothing. */
  #gather(frame: GuardFrame): void {
    this.#measuredAtS = frame.robot.measuredAtS;
    this.#sent.add(frame);
    this.#kept.add(frame);
  }

  #frame(frame: GuardFrame, since: Since): Uint8Array {
    const packet = encodeNumbers(FRAME_LAYOUT, {
      ...frame,
      ...frame.robot,
      sentAtS: this.#clock.nowS(),
      tickLateMs: since.tickLateMs,
      filterBitsSince: since.filterBits,
      objects: this.#objects,
    });
    since.forget();
    return packet;
  }
}

/** Packets for a learner's own page: its description, its state, and the diagnosis of why it may not learn. */
export class LearnerTelemetry {
  readonly #edge: Edge;
  readonly #views = new Subject<LearnerView>();
  readonly #diagnoses = new Subject<readonly Row[]>();

  /** `send`: see `Edge`. */
  constructor(names: RunNames, send: (packet: Uint8Array) => void) {
    send(encodeJson('run', runViewOf(names)));
    this.#edge = new Edge(send);
    this.#edge.newest('learner', this.#views, (view) => encodeJson('learner', view));
    this.#edge.newest('diagnosis', this.#diagnoses, diagnosisPacket);
  }

  learner(view: LearnerView): void {
    this.#views.next(view);
  }

  diagnosis(rows: readonly Row[]): void {
    this.#diagnoses.next(rows);
  }

  /** Sends the newest values; nothing follows. */
  close(): void {
    this.#edge.close();
  }
}

type Kind = keyof SessionListener;
type Told<K extends Kind> = Parameters<NonNullable<SessionListener[K]>>[0];

/** One kind of a session's output as an observable; its values are reused by the session. */
export function observe<K extends Kind>(session: Pick<LiveSession, 'listen'>, kind: K): Observable<Told<K>> {
  return new Observable((subscriber) => session.listen({ [kind]: (value: Told<K>) => subscriber.next(value) }));
}

/**
 * Repeats the frame of a robot that stands because its simulated time does: what an operator's page shows is current, and its stamp says
 * so. Not used in real time, where the guard's silence must be visible.
 */
function standingFrames(session: Pick<LiveSession, 'frame' | 'isLost'>): Observable<GuardFrame> {
  return interval(PERIOD_MS.frame).pipe(
    filter(() => !session.isLost),
    map(() => session.frame),
  );
}

function diagnosisPacket(rows: readonly Row[]): Uint8Array {
  return encodeJson('diagnosis', rows.map(diagnosisRow));
}

function stepPacket(transition: Transition): Uint8Array {
  return encodeNumbers(STEP_LAYOUT, transition);
}
