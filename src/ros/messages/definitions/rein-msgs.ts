/** Our own messages; the same fields stand in `msg/` at the repository's root, where ROS builds them from. */
import { defineMessage } from '../cdr/index.ts';
import type { MessageType } from '../message-type.ts';
import { Time } from './builtin-interfaces.ts';

export interface SafetyState {
  stamp: Time;
  state: string;
  decider: string;
  fault_flags: number;
  fault_rows: Uint16Array;
  /** A sentence for each row. */
  faults: string[];
  filter_bits: number;
  filters: string[];
  ticks: bigint;
  changed_ticks: bigint;
  violations: bigint;
  overruns: bigint;
  margin_min: number;
  /** Infinite where no distance is monitored. */
  clearance_m: number;
  tank_energy_j: number;
  tank_level: number;
  tank_injected_j: number;
  stages: string[];
  stage_ticks: BigUint64Array;
  stage_margins: Float64Array;
}
export const SafetyState: MessageType<SafetyState> = defineMessage<SafetyState>('rein/msg/SafetyState', {
  stamp: Time,
  state: 'string',
  decider: 'string',
  fault_flags: 'uint32',
  fault_rows: 'uint16[]',
  faults: 'string[]',
  filter_bits: 'uint32',
  filters: 'string[]',
  ticks: 'uint64',
  changed_ticks: 'uint64',
  violations: 'uint64',
  overruns: 'uint64',
  margin_min: 'float64',
  clearance_m: 'float64',
  tank_energy_j: 'float64',
  tank_level: 'float64',
  tank_injected_j: 'float64',
  stages: 'string[]',
  stage_ticks: 'uint64[]',
  stage_margins: 'float64[]',
});

export interface State {
  stamp: Time;
  /** idle, episode, running, evaluating, stopped, fault. */
  mode: string;
  phase: string;
  episode: number;
  step: number;
  /** policy, human, hold, stop. */
  authority: string;
  env_steps: bigint;
  success_rate: number;
  /** Of the robot's time, resets included. */
  successes_per_hour: number;
  human_step_share: number;
  episodes: number;
  /** connected, connecting, absent, refused. */
  learner: string;
  pending_transitions: bigint;
  reference_rad: Float64Array;
  /** x, y, z in m, then the quaternion w, x, y, z. */
  tcp_pose: Float64Array;
  margin_min: number;
  tank_level: number;
}
export const State: MessageType<State> = defineMessage<State>('rein/msg/State', {
  stamp: Time,
  mode: 'string',
  phase: 'string',
  episode: 'uint32',
  step: 'uint32',
  authority: 'string',
  env_steps: 'uint64',
  success_rate: 'float64',
  successes_per_hour: 'float64',
  human_step_share: 'float64',
  episodes: 'uint32',
  learner: 'string',
  pending_transitions: 'uint64',
  reference_rad: 'float64[]',
  tcp_pose: 'float64[]',
  margin_min: 'float64',
  tank_level: 'float64',
});

export interface Intervention {
  stamp: Time;
  active: boolean;
  /** `operator` alone is a word of C++, which ROS builds messages for. */
  operator_name: string;
  decided_by: string;
  episode: number;
  step: number;
  duration_s: number;
}
export const Intervention: MessageType<Intervention> = defineMessage<Intervention>('rein/msg/Intervention', {
  stamp: Time,
  active: 'bool',
  operator_name: 'string',
  decided_by: 'string',
  episode: 'uint32',
  step: 'uint32',
  duration_s: 'float64',
});

export interface PolicyStatus {
  stamp: Time;
  version: bigint;
  /** Since these weights arrived. */
  age_s: number;
  latency_p50_ms: number;
  latency_p99_ms: number;
  observation_age_ms: number;
  run_id: string;
  state: string;
}
export const PolicyStatus: MessageType<PolicyStatus> = defineMessage<PolicyStatus>('rein/msg/PolicyStatus', {
  stamp: Time,
  version: 'uint64',
  age_s: 'float64',
  latency_p50_ms: 'float64',
  latency_p99_ms: 'float64',
  observation_age_ms: 'float64',
  run_id: 'string',
  state: 'string',
});

/** `rein/msg/Event`; its name here does not hide the runtime's own. */
export interface RobotEvent {
  stamp: Time;
  /** 0 info, 1 warn, 2 error. */
  level: number;
  name: string;
  /** Row of the fault table; 0 for none. */
  row: number;
  message: string;
  remedy: string;
}
export const RobotEvent: MessageType<RobotEvent> = defineMessage<RobotEvent>('rein/msg/Event', {
  stamp: Time,
  level: 'uint8',
  name: 'string',
  row: 'uint16',
  message: 'string',
  remedy: 'string',
});
