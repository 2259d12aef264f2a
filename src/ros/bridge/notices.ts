/** Operator notices about the robot's topics, once per cause, each with its row in the fault table. */

import { ROS_CONDITION, type RosDriverOptions } from '../../drivers/index.ts';
import type { Clock } from '../../model/index.ts';
import type { GuardNotice } from '../../rows/index.ts';
import type { RosFault } from '../port/ros-port.ts';
import type { RobotReadings } from './robot-readings.ts';

const LOOK_EVERY_S = 1;
/** Silence from the start is reported after this; discovery takes time. */
const SILENT_AFTER_S = 3;
/** Publishers of the command topic: the bridge and the stopper. */
const OUR_PUBLISHERS = 2;
/** Age on arrival from which a measurement is reported. */
const OLD_S = 0.1;
/** Seconds over which the rate is counted. */
const RATE_OVER_S = 2;
/** Share of the minimum rate below which it is reported. */
const RATE_SLACK = 0.95;
/** Periods of measurements within their freshness: fewer are reported; recommended number, and the largest freshness allowed in a file. */
const FRESH_PERIODS = 1.5;
const WANTED_PERIODS = 3;
const MOST_FRESH_MS = 500;

/** Lasting conditions, as parts of the bridge: its death ends them. */
const CONDITION = {
  measurements: 'bridge/measurements',
  commanders: 'bridge/commanders',
  sources: 'bridge/sources',
  controllers: 'bridge/controllers',
};

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
  refused: 'Check the node that requests it.',
};

export interface NoticesParts {
  readonly options: RosDriverOptions;
  readonly readings: RobotReadings;
  /** Fully qualified names of the nodes that publish the command topic, and its name. */
  readonly commanders: () => { readonly topic: string; readonly nodes: readonly string[] };
  /** The measurements come from a simulation. */
  readonly isSimulated: () => boolean;
  /** Present contradiction between publishers of the same joints. */
  readonly contradiction: () => string | undefined;
  /** Graph faults that are present. */
  readonly graphFaults: () => readonly RosFault[];
  readonly clock: Clock;
  readonly say: (notice: GuardNotice) => void;
}

export class Notices {
  readonly #parts: NoticesParts;
  readonly #startedAtS: number;
  #lookedAtS: number;
  #rateFromS: number;
  #rateFrom = 0;
  #reported = '';
  #reportedCommanders = '';
  #reportedSources = '';
  #areTaken = false;
  #isSimulated = false;
  #hasSaidOrder = false;
  #hasSaidFreshness = false;
  /** Reported graph faults that are still present. */
  #lasting: readonly RosFault[] = [];

  constructor(parts: NoticesParts) {
    this.#parts = parts;
    this.#startedAtS = this.#lookedAtS = this.#rateFromS = parts.clock.nowS();
  }

  fault(fault: RosFault): void {
    const { kind, where, message } = fault;
    // The node reports these, with their effect on the episode.
    if (kind === 'timeJump') return;
    const isState = kind === 'qosMismatch' && where === this.#parts.readings.subscription.topic;
    const row = isState ? 10 : ROWS[kind];
    const level = kind === 'graph' ? 'warn' : 'error';
    const notice = { row, level, message: asMessage(message), remedy: REMEDIES[kind] } as const;
    const doesLast = kind === 'qosMismatch' || kind === 'duplicateNode';
    if (doesLast) this.#lasting = [...this.#lasting.filter((reported) => reported.message !== message), fault];
    this.#parts.say(doesLast ? { ...notice, condition: conditionOf(fault) } : notice);
  }

  /** Reports an action of the bridge that failed. */
  trouble(message: string): void {
    this.#parts.say({ row: 10, level: 'error', message, remedy: 'Look at the robot before it is enabled again.' });
  }

  /** Reports that another controller has taken the robot; until `controllersBack`. */
  controllersTaken(message: string): void {
    this.#areTaken = true;
    const remedy =
      'Give the joints back to the controller, or list the other controller under driver.controllerManager.deactivate; then reset.';
    this.#parts.say({ row: 10, level: 'error', message, remedy, condition: CONDITION.controllers });
  }

  controllersBack(): void {
    if (!this.#areTaken) return;
    this.#areTaken = false;
    const message = "The robot's controllers are active again.";
    this.#parts.say({ row: 10, level: 'info', message, remedy: '', condition: CONDITION.controllers, isOver: true });
  }

  /** Reports once that the order of the joints in commands could not be compared with the robot's file. */
  orderUnknown(): void {
    if (this.#hasSaidOrder) return;
    this.#hasSaidOrder = true;
    const { command, rosJointNames } = this.#parts.options;
    const message = `The joint order of the controller behind ${command.topic} is unknown; commands are sent for ${rosJointNames.join(', ')}, in this order.`;
    const remedy = "Compare the controller's parameter `joints` (ros2 param get) before the arm moves.";
    this.#parts.say({ row: 0, level: 'warn', message, remedy });
  }

  /** Checks rate and silence; called about a hundred times a second. */
  look(): void {
    const nowS = this.#parts.clock.nowS();
    if (nowS - this.#lookedAtS < LOOK_EVERY_S) return;
    this.#lookedAtS = nowS;
    this.#lookAtAge();
    this.#lookAtGraph();
    this.#lookAtCommanders();
    this.lookAtSources();
    this.#lookWhetherSimulated();
    const silence = nowS - this.#startedAtS < SILENT_AFTER_S ? undefined : this.whySilent();
    if (silence !== undefined) this.#once(silence, "Start what publishes it, or correct the robot's file.", 'error');
    else this.#lookAtRate(nowS);
  }

  /** Reason why no measurement of all joints has come yet; `undefined` if one has. */
  whySilent(): string | undefined {
    const { options, readings } = this.#parts;
    const { topic, publisherCount } = readings.subscription;
    // While measurements arrive, the newest message was another publisher's.
    const isMeasured = readings.measurements > 0 && this.#parts.clock.nowS() - readings.measuredAtS < SILENT_AFTER_S;
    if (readings.missing.length > 0 && !isMeasured) {
      const missing = readings.missing.join(', ');
      return `${topic} has no joint named ${missing}; it has ${readings.names.join(', ') || 'none'}.`;
    }
    if (readings.measurements > 0) return undefined;
    const what = options.state.kind === 'jointStates' ? 'joint state' : 'odometry';
    return publisherCount === 0
      ? `No publisher on ${topic}.`
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
    if (!isFirst && rateHz > 0) this.#lookAtFreshness(rateHz);
    // Hysteresis: at the limit itself successive counts vary.
    const isLow = rateHz < (this.#reported === '' ? RATE_SLACK : 1) * options.minimumRateHz;
    if (isFirst || !isLow) {
      if (!isFirst) this.#measuredAgain(rateHz);
      return;
    }
    const { topic } = readings.subscription;
    const message =
      rateHz === 0
        ? `${topic} has fallen silent.`
        : `${topic} is published at ${rateHz.toFixed(0)} Hz; at least ${options.minimumRateHz} Hz are required.`;
    const source =
      options.state.kind === 'odometry' ? 'what publishes odometry' : "the robot's joint state broadcaster";
    this.#once(message, `Look at ${source} and at the network.`, 'warn');
  }

  /** With a freshness of hardly more than one period, the first late measurement stops the robot. */
  #lookAtFreshness(rateHz: number): void {
    const { options, readings } = this.#parts;
    if (this.#hasSaidFreshness || rateHz * options.freshnessMs >= 1e3 * FRESH_PERIODS) return;
    this.#hasSaidFreshness = true;
    const { topic } = readings.subscription;
    const wantedMs = Math.min(MOST_FRESH_MS, Math.ceil((1e3 * WANTED_PERIODS) / rateHz));
    const message = `${topic} is published at ${rateHz.toFixed(0)} Hz, and freshnessMs of the robot's file is ${options.freshnessMs}: less than two periods, so that one late message stops the robot.`;
    const remedy = `Write freshnessMs: ${wantedMs} under driver, where the robot may move blind for so long; or publish the topic more often.`;
    this.#parts.say({ row: 10, level: 'warn', message, remedy });
  }

  /** Freshness is judged by arrival, since clocks may differ; if they once agreed, a difference is a delay. */
  #lookAtAge(): void {
    const ageS = this.#parts.readings.takeWorstAgeS();
    if (ageS <= OLD_S) return;
    const { topic } = this.#parts.readings.subscription;
    const message = `${topic} was ${Math.round(ageS * 1e3)} ms old when it arrived, by its stamp.`;
    const remedy = 'Look at the network between here and the robot, and at both clocks.';
    this.#parts.say({ row: 10, level: 'warn', message, remedy });
  }

  /** Only bridge and stopper may publish commands; the guard does not see other publishers. */
  #lookAtCommanders(): void {
    const { topic, nodes } = this.#parts.commanders();
    // A killed node stays in the graph for a while beside its successor of the same name.
    const names = [...new Set(nodes)].sort();
    const others = names.length <= OUR_PUBLISHERS ? '' : names.join(', ');
    if (others !== this.#reportedCommanders) {
      const isOver = others === '';
      const message = isOver
        ? `${topic} has no other publishers any more.`
        : `${topic} has ${names.length} publishers, and only the bridge and the stopper may command the robot: ${others}.`;
      const remedy = isOver ? '' : 'Stop the other nodes that command the robot.';
      const condition = CONDITION.commanders;
      this.#parts.say({ row: 29, level: isOver ? 'info' : 'error', message, remedy, condition, isOver });
    }
    this.#reportedCommanders = others;
  }

  /** While two publishers contradict each other, the guard stops the robot and does not enable it. */
  lookAtSources(): void {
    const contradiction = this.#parts.contradiction();
    const isOver = contradiction === undefined;
    if (isOver === (this.#reportedSources === '')) return;
    this.#reportedSources = contradiction ?? '';
    const message = contradiction ?? `${this.#parts.readings.subscription.topic} reports one set of positions again.`;
    const remedy = isOver ? '' : 'Stop the one that is not the robot, then reset.';
    const condition = CONDITION.sources;
    this.#parts.say({ row: 29, level: isOver ? 'info' : 'error', message, remedy, condition, isOver });
  }

  /** A rehearsal may be mistaken for the real robot: reported at its start and end. */
  #lookWhetherSimulated(): void {
    const isSimulated = this.#parts.isSimulated();
    const { subscription } = this.#parts.readings;
    if (isSimulated === this.#isSimulated) return;
    this.#isSimulated = isSimulated;
    const message = isSimulated
      ? `${subscription.topic} comes from a simulation: nothing real moves.`
      : `${subscription.topic} does not come from a simulation any more: the robot is real.`;
    const condition = ROS_CONDITION.simulated;
    this.#parts.say({
      row: 0,
      level: isSimulated ? 'info' : 'warn',
      message,
      remedy: '',
      condition,
      isOver: !isSimulated,
    });
  }

  /** Reports graph faults that are over. */
  #lookAtGraph(): void {
    if (this.#lasting.length === 0) return;
    const standing = new Set(this.#parts.graphFaults().map(({ message }) => message));
    for (const fault of this.#lasting.filter(({ message }) => !standing.has(message))) {
      const message = `No more: ${asMessage(fault.message)}`;
      const condition = conditionOf(fault);
      this.#parts.say({ row: ROWS[fault.kind], level: 'info', message, remedy: '', condition, isOver: true });
    }
    this.#lasting = this.#lasting.filter(({ message }) => standing.has(message));
  }

  #measuredAgain(rateHz: number): void {
    if (this.#reported === '') return;
    this.#reported = '';
    const { topic } = this.#parts.readings.subscription;
    const message = `${topic} is published at ${rateHz.toFixed(0)} Hz again.`;
    this.#parts.say({
      row: 10,
      level: 'info',
      message,
      remedy: '',
      condition: CONDITION.measurements,
      isOver: true,
    });
  }

  #once(message: string, remedy: string, level: GuardNotice['level']): void {
    const cause = message.replaceAll(/\d+/g, '#');
    if (cause === this.#reported) return;
    this.#reported = cause;
    this.#parts.say({ row: 10, level, message, remedy, condition: CONDITION.measurements });
  }
}

function asMessage(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function conditionOf({ kind, message }: RosFault): string {
  return `bridge/${kind} ${message}`;
}
