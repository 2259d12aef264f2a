/**
 * Table of the topics published by the node: name, purpose, type, quality of service, occasion, and how the message is
 * filled. Registration, the reference and the help are generated from it.
 */
import type { JointModel } from '../../model/index.ts';
import type { GuardFrame } from '../../rows/index.ts';
import { STAGES } from '../../safety/chain-report.ts';
import { faultsOf, messageOf, namesOfBits } from '../../safety/index.ts';
import type { InterventionReport, LiveSession, SessionEvent } from '../../session/index.ts';
import {
  Intervention,
  JointState,
  PolicyStatus,
  ROBOT_EVENT,
  RobotEvent,
  SafetyState,
  State,
  type Time,
} from '../messages/definitions.ts';
import type { MessageType } from '../messages/message-type.ts';
import { setTime } from '../messages/time.ts';
import { SIMULATED_FRAME } from '../observations/other-robot.ts';
import { EVENT_QOS, LATCHED_QOS, type QosProfile, STATE_QOS } from '../port/qos.ts';
import type { RosPort, RosPublisher } from '../port/ros-port.ts';

/** Occasions on which topics are due, and the sources of their messages. */
interface Occasions {
  /** Every tick of the guard. */
  readonly frame: GuardFrame;
  /** Ten times a second, and at every change of the session's state. */
  readonly state: LiveSession;
  /** Once a second, and when the session has opened. */
  readonly second: LiveSession;
  readonly intervention: InterventionReport;
  readonly event: SessionEvent;
}

/** Fills `message` except its stamp; `unsent`: there is nothing to publish this time. */
type Fill<T, From> = (message: T, from: From, memory: Memory) => 'unsent' | undefined;

interface NodeTopic<T> {
  readonly type: MessageType<T>;
  /** As registered in the code: `~/state`. */
  readonly name: string;
  readonly qos: QosProfile;
  /** Documentation: purpose, and rate. */
  readonly what: string;
  readonly rate: string;
  readonly on: { readonly [O in keyof Occasions]?: Fill<T, Occasions[O]> };
  /** Default: the topic is always offered. */
  readonly isOffered?: (options: PublicationsOptions) => boolean;
}

const { INFO: info, WARN: warn, ERROR: error } = ROBOT_EVENT;
const LEVELS = { info, warn, error } as const;

const state: NodeTopic<State> = {
  type: State,
  name: '~/state',
  qos: STATE_QOS,
  what: 'Activity of the node.',
  rate: '10 Hz, and at every change',
  on: {
    state(message, { state, frame }, memory) {
      message.mode = state.mode;
      message.phase = state.phase;
      message.episode = state.episode;
      message.step = state.step;
      message.authority = state.authority;
      message.env_steps = BigInt(state.envSteps);
      message.success_rate = state.successRate;
      message.successes_per_hour = state.successesPerHour;
      message.human_step_share = state.humanStepShare;
      message.episodes = state.episodes;
      message.learner = state.learner;
      message.pending_transitions = BigInt(state.pendingTransitions);
      message.reference_rad = frame.referenceRad;
      message.tcp_pose = frame.measuredTcp;
      message.margin_min = state.marginMin;
      message.tank_level = frame.tankLevel;
      message.simulated = memory.isSimulated();
    },
  },
};

const safety: NodeTopic<SafetyState> = {
  type: SafetyState,
  name: '~/safety_state',
  qos: LATCHED_QOS,
  what: 'Decision of the guard about motion, and its reasons.',
  rate: '1 Hz, and at every change',
  on: {
    frame(message, frame, memory) {
      memory.filterBits |= frame.filterBits;
      if (decisionOf(frame) === memory.reportedDecision) return 'unsent';
      return fillSafety(message, frame, memory);
    },
    second: (message, { frame }, memory) => fillSafety(message, frame, memory),
  },
};

function fillSafety(message: SafetyState, frame: GuardFrame, memory: Memory): undefined {
  message.state = frame.state;
  message.decider = frame.decider;
  message.fault_flags = frame.faultFlags;
  const faults = faultsOf(frame.faultFlags);
  message.fault_rows = Uint16Array.from(faults, (fault) => fault.row);
  message.faults = faults.map((fault) => messageOf(fault, frame, memory.joints));
  // Bits of every tick since the previous message.
  message.filter_bits = memory.filterBits;
  message.filters = [...namesOfBits(memory.filterBits)];
  message.ticks = BigInt(frame.ticks);
  message.changed_ticks = BigInt(frame.changedTicks);
  message.violations = BigInt(frame.violations);
  message.overruns = BigInt(frame.overruns);
  message.margin_min = frame.marginMin;
  message.clearance_m = frame.clearanceM;
  message.tool_speed_max_m_per_s = frame.toolSpeedMPerS;
  message.tank_energy_j = frame.tankEnergyJ;
  message.tank_level = frame.tankLevel;
  message.tank_injected_j = frame.tankInjectedJ;
  message.stages = [...STAGES];
  message.stage_ticks = BigUint64Array.from(frame.stageTicks, BigInt);
  message.stage_margins = frame.stageMargins;
  memory.filterBits = 0;
  memory.reportedDecision = decisionOf(frame);
}

/** Key whose change sends a safety message at once. */
function decisionOf({ state, decider, faultFlags }: GuardFrame): string {
  return `${state} ${decider} ${faultFlags}`;
}

const policy: NodeTopic<PolicyStatus> = {
  type: PolicyStatus,
  name: '~/policy',
  qos: STATE_QOS,
  what: 'Weights in use: version, age and inference latency.',
  rate: '1 Hz',
  on: {
    second(message, { policyState }) {
      message.version = BigInt(policyState.version);
      message.age_s = policyState.ageS;
      message.latency_p50_ms = policyState.latencyP50Ms;
      message.latency_p99_ms = policyState.latencyP99Ms;
      message.observation_age_ms = policyState.observationAgeMs;
      message.run_id = policyState.runId;
      message.state = policyState.state;
    },
  },
};

const intervention: NodeTopic<Intervention> = {
  type: Intervention,
  name: '~/intervention',
  qos: LATCHED_QOS,
  what: 'A person took over, or gave control back.',
  rate: 'at every change',
  on: {
    intervention(message, report) {
      message.active = report.isActive;
      message.operator_name = report.operator;
      message.decided_by = report.decidedBy;
      message.episode = report.episode;
      message.step = report.step;
      message.duration_s = report.durationS;
    },
  },
};

const events: NodeTopic<RobotEvent> = {
  type: RobotEvent,
  name: '~/events',
  qos: EVENT_QOS,
  what: 'Events for people: faults, refusals, starts, stops.',
  rate: 'as they happen',
  on: {
    event(message, event) {
      message.level = LEVELS[event.level];
      message.name = event.name;
      message.row = event.row;
      message.message = event.message;
      message.remedy = event.remedy;
    },
  },
};

const joints: NodeTopic<JointState> = {
  type: JointState,
  name: 'joint_states',
  qos: STATE_QOS,
  what: 'Measured joints, where the robot is not behind ROS itself (otherwise its own broadcaster publishes them). Those of a simulated robot have the frame `simulated`, and are withheld where another robot publishes the same joints.',
  rate: '`joint_states_rate`; by default every tick',
  isOffered: ({ jointStatesHz }) => jointStatesHz !== undefined,
  on: {
    frame(message, { robot }, memory) {
      if (memory.areJointsWithheld()) return 'unsent';
      memory.jointsDue += memory.jointsPerFrame;
      if (memory.jointsDue < 1) return 'unsent';
      memory.jointsDue -= 1;
      message.header.frame_id = memory.isSimulated() ? SIMULATED_FRAME : '';
      message.name = memory.jointNames;
      message.position = robot.positionRad;
      message.velocity = robot.velocityRadPerS;
      message.effort = robot.torqueNm;
    },
  },
};

/** All topics, in the order of the reference. A new one is a file in `msg/`, a row here and a test. */
export const NODE_TOPICS = [state, safety, policy, intervention, events, joints] as readonly NodeTopic<unknown>[];

export interface PublicationsOptions {
  readonly port: RosPort;
  readonly joints: readonly JointModel[];
  readonly controlHz: number;
  /** 0: every guard frame. `undefined`: the robot publishes its joints itself. */
  readonly jointStatesHz: number | undefined;
  readonly isSimulated: () => boolean;
  /** Another robot publishes these joints, or discovery is not complete. */
  readonly areJointsWithheld: () => boolean;
}

/** State of the messages besides the occasion: the robot's joints, and what was published or is due. */
interface Memory {
  readonly joints: readonly JointModel[];
  readonly jointNames: string[];
  readonly isSimulated: () => boolean;
  readonly areJointsWithheld: () => boolean;
  /** Filters that have acted since the previous safety message. */
  filterBits: number;
  reportedDecision: string;
  /** Joint states to publish per frame, at most 1, and those that are due. */
  jointsPerFrame: number;
  jointsDue: number;
}

/** One topic with its message, which is created once and reused. */
interface Offered {
  readonly topic: NodeTopic<unknown>;
  readonly publisher: RosPublisher<unknown>;
  readonly message: unknown;
  readonly stamp: Time;
}

/** Value for which every frame is sent. */
const EVERY_FRAME = 0;

/** Publishers of the table's topics on a port. */
export class Publications {
  readonly #port: RosPort;
  readonly #controlHz: number;
  readonly #offered: readonly Offered[];
  readonly #memory: Memory;

  /** Before the port's `start`. */
  constructor(options: PublicationsOptions) {
    const { port, joints, controlHz, isSimulated, areJointsWithheld, jointStatesHz = EVERY_FRAME } = options;
    this.#port = port;
    this.#controlHz = controlHz;
    this.#memory = {
      joints,
      jointNames: joints.map(({ name }) => name),
      isSimulated,
      areJointsWithheld,
      filterBits: 0,
      reportedDecision: '',
      jointsPerFrame: 1,
      jointsDue: 0,
    };
    this.setJointStatesHz(jointStatesHz);
    this.#offered = NODE_TOPICS.filter(({ isOffered }) => isOffered?.(options) ?? true).map((topic) => {
      const message = topic.type.create();
      const publisher = port.advertise(topic.type, topic.name, topic.qos);
      return { topic, publisher, message, stamp: stampOf(message) };
    });
  }

  /** 0: every guard frame. */
  setJointStatesHz(hz: number): void {
    this.#memory.jointsPerFrame = hz === EVERY_FRAME ? 1 : Math.min(1, hz / this.#controlHz);
  }

  /** Fills and publishes the topics due on `occasion`. */
  publish<O extends keyof Occasions>(occasion: O, from: Occasions[O]): void {
    for (const { topic, publisher, message, stamp } of this.#offered) {
      const fill = topic.on[occasion];
      if (fill === undefined || fill(message, from, this.#memory) === 'unsent') continue;
      setTime(stamp, this.#port.clock.nowNs());
      publisher.publish(message);
    }
  }
}

/** Stamp of a message, its own or its header's; every message has one. */
function stampOf(message: unknown): Time {
  const stamped = message as { readonly stamp?: Time; readonly header?: { readonly stamp: Time } };
  const stamp = stamped.stamp ?? stamped.header?.stamp;
  if (stamp === undefined) throw new TypeError('the message of a topic has no stamp');
  return stamp;
}
