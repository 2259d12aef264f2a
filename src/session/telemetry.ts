/**
 * A run as packets for whoever watches it (`src/core/telemetry.ts`): one observable a thing, each thinned out here, where packets are made,
 * to what people and recorders can use. Costs the run a copy of what is due, and never waits for anybody.
 */
import { Observable, type Subscription, throttleTime } from 'rxjs';
import {
  DECIDERS,
  encodeJson,
  encodeNumbers,
  FRAME_LAYOUT,
  type FrameView,
  type GuardFrame,
  type PacketKind,
  SAFETY_STATES,
  type SceneLayout,
  SOURCES,
  type Source64,
  STEP_LAYOUT,
  type StepView,
  SystemClock,
  type Transition,
} from '../core/index.ts';
import type { RunObserver } from './run-log.ts';
import { diagnosisRow, type RunNames, runViewOf } from './run-view.ts';
import type { LiveSession } from './session.ts';
import type { SessionListener, SessionState } from './session-types.ts';
import type { RunStatus } from './status.ts';

/** 50 frames a second, as displays and operators want them, ms. */
const FRAME_MS = 20;
/** Steps of a run that is faster than people, ms. */
const STEP_MS = 40;
const STATUS_MS = 200;

export interface TelemetryOptions extends RunNames {
  /** Takes a packet for people, which belongs to it. Must be quick and must not throw. Absent: nobody watches. */
  readonly send?: ((packet: Uint8Array) => void) | undefined;
  /** The same for the record: steps, each with the frame of its end after it, and all that happens. Absent: none is kept. */
  readonly keep?: ((packet: Uint8Array) => void) | undefined;
}

/** What a frame says of the time since the one that was told before. */
class Since {
  filterBits = 0;
  tickLateMs = 0;

  /** Every frame. Allocates nothing. */
  add(filterBits: number, lateMs: number): void {
    this.filterBits |= filterBits;
    if (lateMs > this.tickLateMs) this.tickLateMs = lateMs;
  }

  forget(): void {
    this.filterBits = 0;
    this.tickLateMs = 0;
  }
}

/**
 * The steps that are kept: all in real time. A run that is faster than that, in lock-step, keeps whole episodes, no more of them than real
 * time would bring, so that recording costs it next to nothing; and of the others what people decide, from there to the end.
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

/** Steps of real time do not come on the microsecond. */
const SLACK_MS = 1000;

export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #clock: SystemClock = new SystemClock();
  readonly #startedAtMs: number = Date.now();
  readonly #subscriptions: Subscription[] = [];
  #lastStatusMs = Number.NEGATIVE_INFINITY;
  #lastPhase = '';
  #objects: Float64Array = new Float64Array(0);
  #objectNames: readonly string[] = [];
  /** Between two frames that are sent, and two that are kept. */
  readonly #sent: Since = new Since();
  readonly #kept: Since = new Since();
  #measuredAtS = Number.NaN;

  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#sendRun();
  }

  /** `inner`, and what it is told goes out as packets too. */
  observer(inner: RunObserver): RunObserver {
    return {
      status: (status) => {
        inner.status(status);
        this.#onStatus(status);
      },
      print: (line) => {
        inner.print(line);
        this.#tell('notice', { line });
      },
      diagnosis: (rows) => {
        inner.diagnosis?.(rows);
        this.#options.send?.(encodeJson('diagnosis', rows.map(diagnosisRow)));
      },
    };
  }

  /** Tells of `session` until `close`. */
  attach(session: LiveSession): void {
    const { send, keep } = this.#options;
    if (send === undefined && keep === undefined) return;
    const frames = observe(session, 'frame');
    const steps = observe(session, 'step');
    const newest = { leading: true, trailing: true };
    this.#on(frames, (frame) => this.#gather(frame));
    if (keep !== undefined) {
      const budget = new KeptSteps(1e3 / this.#options.setup.config.task.policyHz);
      this.#on(steps, (step) => {
        if (!budget.takes(step)) return;
        keep(encodeNumbers(STEP_LAYOUT, stepView(step)));
        keep(this.#frame(session.frame, this.#kept));
      });
    }
    if (send !== undefined) {
      this.#on(frames.pipe(throttleTime(FRAME_MS, undefined, newest)), (frame) => send(this.#frame(frame, this.#sent)));
      this.#on(steps.pipe(throttleTime(STEP_MS, undefined, newest)), (step) =>
        send(encodeNumbers(STEP_LAYOUT, stepView(step))),
      );
    }
    this.#on(observe(session, 'state'), (state) => this.#sendState(state));
    this.#on(observe(session, 'scene'), (layout) => this.#arranged(layout));
    for (const kind of ['event', 'episode', 'intervention'] as const) {
      this.#on(observe<typeof kind>(session, kind), (value) => this.#tell(kind, value));
    }
    this.#sendState(session.state);
  }

  close(): void {
    for (const subscription of this.#subscriptions.splice(0)) subscription.unsubscribe();
  }

  /** What happened: when, by people's clock and by the robot's. */
  #tell(kind: PacketKind, value: object): void {
    const { send, keep } = this.#options;
    const packet = encodeJson(kind, { ...value, atMs: Date.now(), atS: this.#measuredAtS });
    keep?.(packet.slice());
    send?.(packet);
  }

  #on<T>(source: Observable<T>, next: (value: T) => void): void {
    this.#subscriptions.push(source.subscribe(next));
  }

  /** Where objects are that no frame measures. */
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

  #sendState(state: SessionState): void {
    this.#options.send?.(encodeJson('session', state));
  }

  #onStatus(status: RunStatus): void {
    const nowMs = performance.now();
    const isDue = status.phase !== this.#lastPhase || nowMs - this.#lastStatusMs >= STATUS_MS;
    if (!isDue) return;
    this.#lastStatusMs = nowMs;
    this.#lastPhase = status.phase;
    this.#options.send?.(encodeJson('status', status));
  }

  /** Every frame. Allocates nothing. */
  #gather({ filterBits, robot }: GuardFrame): void {
    const { controlHz } = this.#options.setup.config.robot;
    const lateMs = 1e3 * (robot.measuredAtS - this.#measuredAtS - 1 / controlHz);
    this.#measuredAtS = robot.measuredAtS;
    this.#sent.add(filterBits, lateMs);
    this.#kept.add(filterBits, lateMs);
  }

  #frame(frame: GuardFrame, since: Since): Uint8Array {
    const view: Source64<FrameView> = {
      ...frame,
      ...frame.robot,
      sentAtS: this.#clock.nowS(),
      state: SAFETY_STATES.indexOf(frame.state),
      decider: DECIDERS.indexOf(frame.decider),
      tickLateMs: since.tickLateMs,
      filterBitsSince: since.filterBits,
      objects: this.#objects,
    };
    since.forget();
    return encodeNumbers(FRAME_LAYOUT, view);
  }
}

type Kind = keyof SessionListener;
type Told<K extends Kind> = Parameters<NonNullable<SessionListener[K]>>[0];

/** One thing that a session tells, as an observable; what it gives is reused by the session. */
export function observe<K extends Kind>(session: Pick<LiveSession, 'listen'>, kind: K): Observable<Told<K>> {
  return new Observable((subscriber) => session.listen({ [kind]: (value: Told<K>) => subscriber.next(value) }));
}

function stepView(transition: Transition): Source64<StepView> {
  return {
    ...transition,
    source: SOURCES.indexOf(transition.source),
    terminated: Number(transition.terminated),
    truncated: Number(transition.truncated),
    isBasePhase: Number(transition.isBasePhase),
  };
}
