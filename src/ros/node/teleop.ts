/** Operators by topic: a joystick on `joy`, twists on `~/teleop`, and marks. One set per session. */
import type { RunSetup } from '../../config/setup.ts';
import { isRos } from '../../drivers/index.ts';
import type { Clock } from '../../model/index.ts';
import { RawInput, type SessionEvent } from '../../session/index.ts';
import {
  JOY_PAD_NAMES,
  JOY_PADS,
  type JoyPadName,
  JoyTeleop,
  mappingOf,
  type TeleopEvent,
  TwistTeleop,
} from '../../teleop/index.ts';
import { Empty, Joy, TwistStamped } from '../messages/definitions.ts';
import { secondsOf } from '../messages/time.ts';
import { EVENT_QOS, SENSOR_QOS } from '../port/qos.ts';
import type { RosPort, RosSubscription } from '../port/ros-port.ts';
import type { PartStatus } from './diagnostics.ts';

export type OperatorChoice = 'none' | 'scripted' | 'joy' | 'twist';

export interface TeleopOptions {
  readonly port: RosPort;
  readonly operator: OperatorChoice;
  readonly pad: JoyPadName;
  /** Lease of one message, s. */
  readonly leaseS: number;
  readonly setup: RunSetup;
  /** Folder of the run, for the record of operator input. */
  readonly folder: string;
  /** The machine's clock; remote operators do not follow simulated time. */
  readonly clock: Clock;
  readonly onEvent: (event: SessionEvent) => void;
  readonly onMark: (mark: 'success' | 'failure') => void;
}

/** Base frame of robots whose file names none. */
const DEFAULT_BASE_FRAME = 'base_link';

/** Shortest time between two reports of faults that come at the rate of a joystick, s. */
const REPEAT_AFTER_S = 1;

type Source = JoyTeleop | TwistTeleop;

export class Teleop {
  readonly #options: TeleopOptions;
  readonly #subscription: RosSubscription | undefined;
  #source: Source | undefined;
  #raw: RawInput | undefined;
  #malformedReportedAtS = Number.NEGATIVE_INFINITY;
  /** Frame refused last; reported once. */
  #refusedFrame = '';

  /** Subscribes; there is no operator before `create`. */
  constructor(options: TeleopOptions) {
    this.#options = options;
    const { port, operator, clock, onMark } = options;
    port.subscribe(Empty, '~/success', EVENT_QOS, () => onMark('success'));
    port.subscribe(Empty, '~/failure', EVENT_QOS, () => onMark('failure'));
    if (operator === 'joy') {
      this.#subscription = port.subscribe(Joy, 'joy', SENSOR_QOS, (message) => {
        const source = this.#source;
        if (!(source instanceof JoyTeleop)) return;
        this.#watchMalformed(source, () => source.onJoy(message, clock.nowS()));
        const { header, axes, buttons } = message;
        const said = { axes: Array.from(axes), buttons: Array.from(buttons) };
        this.#raw?.message(said, { stamp: secondsOf(header.stamp) }, source.isInControl);
      });
    }
    if (operator === 'twist') {
      this.#subscription = port.subscribe(TwistStamped, '~/teleop', SENSOR_QOS, ({ header, twist }) => {
        const rosNowS = Number(port.clock.nowNs()) * 1e-9;
        const source = this.#source;
        if (source instanceof TwistTeleop && this.#isInBaseFrame(header.frame_id, source)) {
          const stampS = secondsOf(header.stamp);
          this.#watchMalformed(source, () => source.onTwist(twist, stampS, rosNowS, clock.nowS()));
          const said = { linear: { ...twist.linear }, angular: { ...twist.angular } };
          this.#raw?.message(said, { stamp: stampS }, source.isInControl);
        }
      });
    }
  }

  /** Creates a new operator for a new session, which closes it; none if take-over by topic is disabled. */
  create(): readonly Source[] {
    this.#source = this.#make();
    return this.#source === undefined ? [] : [this.#source];
  }

  status(): PartStatus {
    const { operator } = this.#options;
    const part = 'teleop';
    const source = this.#source;
    if (source === undefined || this.#subscription === undefined) {
      const message = operator === 'scripted' ? 'The scripted operator helps.' : 'No operator may take over.';
      return { part, level: 'ok', message, values: { operator } };
    }
    const { topic, publisherCount } = this.#subscription;
    const malformed = this.#malformed(source);
    const values = { operator, topic, publishers: publisherCount, ...source.counters, malformed };
    if (source.isStopRequested) {
      return { part, level: 'error', message: 'Stopped by the operator, or lost while in control (fault 18).', values };
    }
    const isSilent = publisherCount === 0;
    const control = source.isInControl ? 'A person is in control.' : 'Ready to take over.';
    const now = isSilent ? `No publisher on ${topic}.` : control;
    if (malformed === 0) return { part, level: isSilent ? 'stale' : 'ok', message: now, values };
    const dropped = `${malformed} messages were dropped: ${this.#misfit()} (fault 11).`;
    return { part, level: 'warn', message: `${now} ${dropped}`, values };
  }

  /** Number of messages that could not be decoded, or do not fit their purpose. */
  #malformed(source: Source): number {
    return source.counters.malformed + (this.#subscription?.counters.malformed ?? 0);
  }

  #misfit(): string {
    const { operator, pad } = this.#options;
    const source = this.#source;
    const why = source instanceof JoyTeleop && source.misfit !== undefined ? `: ${source.misfit}` : '';
    return operator === 'joy' ? `not of the pad ${pad}${why}` : 'not finite, without a stamp, or of another frame';
  }

  /** Reports messages that do not fit, once a second at most: `hear` passes another message to the source. */
  #watchMalformed(source: Source, hear: () => void): void {
    const before = source.counters.malformed;
    hear();
    const count = source.counters.malformed;
    const nowS = this.#options.clock.nowS();
    if (count === before || nowS - this.#malformedReportedAtS < REPEAT_AFTER_S) return;
    this.#malformedReportedAtS = nowS;
    const { pad, operator, onEvent } = this.#options;
    onEvent({
      level: 'warn',
      name: 'malformed',
      row: 11,
      message: `${this.#subscription?.topic}: a message was dropped: ${this.#misfit()}; ${count} so far.`,
      remedy:
        operator === 'joy'
          ? `Check its publisher; the parameter pad is ${pad}, one of ${JOY_PAD_NAMES.join(', ')}.`
          : 'Check its publisher.',
    });
  }

  /** A twist in the tool's or another frame would be a different motion, and is refused. */
  #isInBaseFrame(frame: string, source: TwistTeleop): boolean {
    const { driver } = this.#options.setup.config.robot;
    const base = isRos(driver) ? driver.command.frameId : DEFAULT_BASE_FRAME;
    if (frame === '' || frame === base) {
      this.#refusedFrame = '';
      return true;
    }
    source.counters.malformed++;
    if (frame !== this.#refusedFrame) {
      const message = `A twist is in the frame "${frame.slice(0, 64)}", and not in the robot's base frame ${base}: it is not executed.`;
      const remedy = `Send twists of the base frame: frame_id "${base}", or empty.`;
      this.#options.onEvent({ level: 'warn', name: 'teleopFrame', row: 11, message, remedy });
    }
    this.#refusedFrame = frame;
    return false;
  }

  #make(): Source | undefined {
    const { operator, pad, leaseS, setup, folder, clock, onMark } = this.#options;
    if (operator !== 'joy' && operator !== 'twist') return undefined;
    const raw = new RawInput(folder, operator, clock, (line) => this.#tell(line));
    this.#raw = raw;
    const { action } = setup.task;
    const onEvent = (event: TeleopEvent): void => this.#report(event);
    const shared = { action, clock, leaseS, onEvent, onClose: () => void raw.close() };
    if (operator === 'joy') return new JoyTeleop({ ...shared, mapping: mappingOf(JOY_PADS[pad], action), pad, onMark });
    return new TwistTeleop({ ...shared, policyPeriodS: 1 / setup.config.task.policyHz });
  }

  /** Reports a problem of the record. */
  #tell(message: string): void {
    this.#options.onEvent({ level: 'warn', name: 'recording', row: 0, message, remedy: '' });
  }

  #report({ row, name, message, remedy }: TeleopEvent): void {
    this.#options.onEvent({ level: row === 18 ? 'error' : 'warn', name, row, message, remedy });
  }
}
