/** What people should know about the robot's topics, said once per cause, with its row in the fault table. */
import type { Clock, GuardNotice } from '../../core/index.ts';
import type { RosDriverOptions } from '../../drivers/ros/index.ts';
import type { RosFault } from '../port/index.ts';
import type { RobotReadings } from './robot-readings.ts';

const LOOK_EVERY_S = 1;
/** Silence from the start is said after this; discovery takes its time. */
const SILENT_AFTER_S = 3;
/** Of the command topic: the bridge, and the process that can only stop. */
const OUR_PUBLISHERS = 2;
/** A measurement that was made longer ago than this when it arrives is said. */
const OLD_S = 0.1;
/** Seconds over which the rate is counted. */
const RATE_OVER_S = 2;

const ROWS: Readonly<Record<RosFault['kind'], number>> = {
  callback: 25,
  malformed: 11,
  qosMismatch: 33,
  duplicateNode: 29,
  timeJump: 22,
  graph: 0,
  refused: 0,
};
const REMEDIES: Readonly<Record<RosFault['kind'], string>> = {
  callback: 'This is a defect of the software: report it.',
  malformed: 'Look at what publishes the topic.',
  qosMismatch: 'Change the quality of service of one end.',
  duplicateNode: 'Stop the other node, or start one of them in another namespace.',
  timeJump: 'Look at what publishes /clock.',
  graph: 'Look at the ROS graph with `ros2 node list` and `ros2 topic info -v`.',
  refused: 'Look at who asks for it.',
};

export interface NoticesParts {
  readonly options: RosDriverOptions;
  readonly readings: RobotReadings;
  /** Fully qualified names of the nodes that publish the command topic, and its name. */
  readonly commanders: () => { readonly topic: string; readonly nodes: readonly string[] };
  readonly clock: Clock;
  readonly say: (notice: GuardNotice) => void;
}

export class Notices {
  readonly #parts: NoticesParts;
  readonly #startedAtS: number;
  #lookedAtS: number;
  #rateFromS: number;
  #rateFrom = 0;
  #told = '';
  #toldCommanders = '';

  constructor(parts: NoticesParts) {
    this.#parts = parts;
    this.#startedAtS = this.#lookedAtS = this.#rateFromS = parts.clock.nowS();
  }

  fault({ kind, where, message }: RosFault): void {
    const isState = kind === 'qosMismatch' && where === this.#parts.readings.subscription.topic;
    const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
    const level = kind === 'graph' ? 'warn' : 'error';
    this.#parts.say({ row: isState ? 10 : ROWS[kind], level, sentence, remedy: REMEDIES[kind] });
  }

  /** Something that the bridge tried and could not do. */
  trouble(sentence: string): void {
    this.#parts.say({ row: 10, level: 'error', sentence, remedy: 'Look at the robot before it is enabled again.' });
  }

  /** Looks at rate and silence; about a hundred times a second. */
  look(): void {
    const nowS = this.#parts.clock.nowS();
    if (nowS - this.#lookedAtS < LOOK_EVERY_S) return;
    this.#lookedAtS = nowS;
    this.#lookAtAge();
    this.#lookAtCommanders();
    const silence = nowS - this.#startedAtS < SILENT_AFTER_S ? undefined : this.whySilent();
    if (silence !== undefined) this.#once(silence, "Start what publishes it, or correct the robot's file.", 'error');
    else this.#lookAtRate(nowS);
  }

  /** Why no measurement of all joints has come yet; `undefined` when one has. */
  whySilent(): string | undefined {
    const { options, readings } = this.#parts;
    const { topic, publisherCount } = readings.subscription;
    // Where measurements come, the newest message was another publisher's.
    const isMeasured = readings.measurements > 0 && this.#parts.clock.nowS() - readings.measuredAtS < SILENT_AFTER_S;
    if (readings.missing.length > 0 && !isMeasured) {
      const missing = readings.missing.join(', ');
      return `${topic} has no joint named ${missing}; it has ${readings.names.join(', ') || 'none'}.`;
    }
    if (readings.measurements > 0) return undefined;
    const what = options.state.kind === 'jointStates' ? 'joint state' : 'odometry';
    return publisherCount === 0
      ? `Nobody publishes ${topic}.`
      : `No ${what} has come on ${topic}, although it is published.`;
  }

  #lookAtRate(nowS: number): void {
    const { options, readings } = this.#parts;
    const sinceS = nowS - this.#rateFromS;
    if (readings.measurements === 0 || sinceS < RATE_OVER_S) return;
    const rateHz = (readings.measurements - this.#rateFrom) / sinceS;
    const isFirst = this.#rateFrom === 0;
    this.#rateFromS = nowS;
    this.#rateFrom = readings.measurements;
    if (isFirst || rateHz >= options.minimumRateHz) {
      if (!isFirst) this.#told = '';
      return;
    }
    const { topic } = readings.subscription;
    const sentence =
      rateHz === 0
        ? `${topic} has fallen silent.`
        : `${topic} comes ${rateHz.toFixed(0)} times a second, at least ${options.minimumRateHz} are wanted.`;
    this.#once(sentence, "Look at the robot's joint state broadcaster and at the network.", 'warn');
  }

  /** Freshness goes by when messages arrive, as clocks may differ; where they agreed, their difference is a delay. */
  #lookAtAge(): void {
    const ageS = this.#parts.readings.takeWorstAgeS();
    if (ageS <= OLD_S) return;
    const { topic } = this.#parts.readings.subscription;
    const sentence = `${topic} was ${Math.round(ageS * 1e3)} ms old when it arrived, by its stamp.`;
    const remedy = 'Look at the network between here and the robot, and at both clocks.';
    this.#parts.say({ row: 10, level: 'warn', sentence, remedy });
  }

  /** Bridge and stopper are two; whoever else commands the robot is not seen by the guard. */
  #lookAtCommanders(): void {
    const { topic, nodes } = this.#parts.commanders();
    // One that was killed stays in the graph for a while beside its successor, which has its name.
    const names = [...new Set(nodes)].sort();
    const others = names.length <= OUR_PUBLISHERS ? '' : names.join(', ');
    if (others !== '' && others !== this.#toldCommanders) {
      const sentence = `${topic} has ${names.length} publishers, and only the bridge and the stopper may command the robot: ${others}.`;
      this.#parts.say({ row: 29, level: 'error', sentence, remedy: 'Stop whoever else commands the robot.' });
    }
    this.#toldCommanders = others;
  }

  #once(sentence: string, remedy: string, level: GuardNotice['level']): void {
    const cause = sentence.replaceAll(/\d+/g, '#');
    if (cause === this.#told) return;
    this.#told = cause;
    this.#parts.say({ row: 10, level, sentence, remedy });
  }
}
