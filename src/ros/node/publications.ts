/** Topics that the node publishes: state, safety, policy, interventions, events, joints. Messages are made once and reused. */
import type { GuardFrame, JointModel } from '../../core/index.ts';
import { faultsOf, namesOfBits, STAGES, sentenceOf } from '../../safety/index.ts';
import type { InterventionReport, LiveSession, SessionEvent } from '../../session/index.ts';
import {
  Intervention,
  JointState,
  PolicyStatus,
  ROBOT_EVENT,
  RobotEvent,
  SafetyState,
  State,
} from '../messages/definitions.ts';
import { setTime } from '../messages/time.ts';
import { EVENT_QOS, LATCHED_QOS, STATE_QOS } from '../port/qos.ts';
import type { RosPort, RosPublisher } from '../port/ros-port.ts';

const { INFO: info, WARN: warn, ERROR: error } = ROBOT_EVENT;
const LEVELS = { info, warn, error } as const;
/** Rate at or above which each frame is sent. */
const EVERY_FRAME = 0;

export interface PublicationsOptions {
  readonly port: RosPort;
  readonly joints: readonly JointModel[];
  readonly controlHz: number;
  /** 0: every guard frame. `undefined`: the robot publishes its joints itself. */
  readonly jointStatesHz: number | undefined;
}

export class Publications {
  readonly #port: RosPort;
  readonly #state: RosPublisher<State>;
  readonly #safety: RosPublisher<SafetyState>;
  readonly #policy: RosPublisher<PolicyStatus>;
  readonly #intervention: RosPublisher<Intervention>;
  readonly #events: RosPublisher<RobotEvent>;
  readonly #joints: RosPublisher<JointState> | undefined;
  readonly #message = {
    state: State.create(),
    safety: SafetyState.create(),
    policy: PolicyStatus.create(),
    intervention: Intervention.create(),
    event: RobotEvent.create(),
    joints: JointState.create(),
  };
  readonly #robotJoints: readonly JointModel[];
  readonly #controlHz: number;
  #perFrame = 1;
  #due = 0;
  #filterBits = 0;
  #toldSafety = '';

  constructor({ port, joints, controlHz, jointStatesHz }: PublicationsOptions) {
    this.#port = port;
    this.#state = port.advertise(State, '~/state', STATE_QOS);
    this.#safety = port.advertise(SafetyState, '~/safety_state', LATCHED_QOS);
    this.#policy = port.advertise(PolicyStatus, '~/policy', STATE_QOS);
    this.#intervention = port.advertise(Intervention, '~/intervention', LATCHED_QOS);
    this.#events = port.advertise(RobotEvent, '~/events', EVENT_QOS);
    this.#robotJoints = joints;
    this.#controlHz = controlHz;
    if (jointStatesHz === undefined) return;
    this.setJointStatesHz(jointStatesHz);
    this.#joints = port.advertise(JointState, 'joint_states', STATE_QOS);
    this.#message.joints.name = joints.map(({ name }) => name);
  }

  /** 0: every guard frame. */
  setJointStatesHz(hz: number): void {
    this.#perFrame = hz === EVERY_FRAME ? 1 : Math.min(1, hz / this.#controlHz);
  }

  /** Takes every guard frame: joints at their rate, safety when it changes. */
  frame(frame: GuardFrame): void {
    this.#filterBits |= frame.filterBits;
    const told = `${frame.state} ${frame.decider} ${frame.faultFlags}`;
    if (told !== this.#toldSafety) this.safety(frame);
    this.#due += this.#perFrame;
    if (this.#due < 1) return;
    this.#due -= 1;
    this.#jointStates(frame);
  }

  safety(frame: GuardFrame): void {
    const message = this.#message.safety;
    setTime(message.stamp, this.#port.clock.nowNs());
    message.state = frame.state;
    message.decider = frame.decider;
    message.fault_flags = frame.faultFlags;
    const faults = faultsOf(frame.faultFlags);
    message.fault_rows = Uint16Array.from(faults, (fault) => fault.row);
    message.faults = faults.map((fault) => sentenceOf(fault, frame, this.#robotJoints));
    // Those of every tick since the message before.
    message.filter_bits = this.#filterBits;
    message.filters = [...namesOfBits(this.#filterBits)];
    message.ticks = BigInt(frame.ticks);
    message.changed_ticks = BigInt(frame.changedTicks);
    message.violations = BigInt(frame.violations);
    message.overruns = BigInt(frame.overruns);
    message.margin_min = frame.marginMin;
    message.clearance_m = frame.clearanceM;
    message.tank_energy_j = frame.tankEnergyJ;
    message.tank_level = frame.tankLevel;
    message.tank_injected_j = frame.tankInjectedJ;
    message.stages = [...STAGES];
    message.stage_ticks = BigUint64Array.from(frame.stageTicks, BigInt);
    message.stage_margins = frame.stageMargins;
    this.#filterBits = 0;
    this.#toldSafety = `${frame.state} ${frame.decider} ${frame.faultFlags}`;
    this.#safety.publish(message);
  }

  state(session: LiveSession): void {
    const message = this.#message.state;
    const { state, frame } = session;
    setTime(message.stamp, this.#port.clock.nowNs());
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
    this.#state.publish(message);
  }

  policy(session: LiveSession): void {
    const message = this.#message.policy;
    const state = session.policyState;
    setTime(message.stamp, this.#port.clock.nowNs());
    message.version = BigInt(state.version);
    message.age_s = state.ageS;
    message.latency_p50_ms = state.latencyP50Ms;
    message.latency_p99_ms = state.latencyP99Ms;
    message.observation_age_ms = state.observationAgeMs;
    message.run_id = state.runId;
    message.state = state.state;
    this.#policy.publish(message);
  }

  intervention(report: InterventionReport): void {
    const message = this.#message.intervention;
    setTime(message.stamp, this.#port.clock.nowNs());
    message.active = report.isActive;
    message.operator_name = report.operator;
    message.decided_by = report.decidedBy;
    message.episode = report.episode;
    message.step = report.step;
    message.duration_s = report.durationS;
    this.#intervention.publish(message);
  }

  event(event: SessionEvent): void {
    const message = this.#message.event;
    setTime(message.stamp, this.#port.clock.nowNs());
    message.level = LEVELS[event.level];
    message.name = event.name;
    message.row = event.row;
    message.message = event.message;
    message.remedy = event.remedy;
    this.#events.publish(message);
  }

  #jointStates({ robot }: GuardFrame): void {
    if (this.#joints === undefined) return;
    const message = this.#message.joints;
    setTime(message.header.stamp, this.#port.clock.nowNs());
    message.position = robot.positionRad;
    message.velocity = robot.velocityRadPerS;
    message.effort = robot.torqueNm;
    this.#joints.publish(message);
  }
}
