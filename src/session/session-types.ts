/** Requests to a session, and its reports: plain data for displays, ROS topics and tests. */

import type { EpisodePlace } from '../record/index.ts';
import type { GuardFrame, SceneLayout, Transition } from '../rows/index.ts';
import type { Outcome } from '../tasks/index.ts';
import type { PhaseCause } from './phase-switch.ts';

/** Current use of the robot. */
export type SessionMode = 'idle' | 'episode' | 'running' | 'evaluating' | 'stopped' | 'fault';

export interface SessionState {
  readonly mode: SessionMode;
  /** For people, e.g. `training`. */
  readonly phase: string;
  /** Number in the node's life, from 0. */
  readonly episode: number;
  readonly step: number;
  readonly authority: 'policy' | 'script' | 'human' | 'hold' | 'stop';
  /** Steps recorded for training since the run began. */
  readonly envSteps: number;
  /** Share of the last episodes that succeeded without help, 0..1; 0 before the first. */
  readonly successRate: number;
  /** Successes per hour of the robot's time, resets included; 0 before the first episode. */
  readonly successesPerHour: number;
  /** Share of steps that people or the script decided, 0..1. */
  readonly humanStepShare: number;
  /** Training episodes since the run began. */
  readonly episodes: number;
  readonly learner: 'connected' | 'connecting' | 'absent' | 'refused';
  /** Recorded, and not acknowledged by the learner yet. */
  readonly pendingTransitions: number;
  /** Least safety margin of the last recorded step: 1 in the middle of all limits, 0 at one. */
  readonly marginMin: number;
}

export interface PolicyState {
  /** 0: no weights. */
  readonly version: number;
  /** Time since these weights began to act, s; 0 without weights. */
  readonly ageS: number;
  /** Inference alone; 0 before the first. */
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
  readonly observationAgeMs: number;
  readonly runId: string;
  readonly state: 'absent' | 'ready' | 'acting' | 'unusable';
}

/** An event, for people and logs. */
export interface SessionEvent {
  readonly level: 'info' | 'warn' | 'error';
  /** Kind of event; the flag's name for faults. */
  readonly name: string;
  /** Row of the fault table; 0 for none. */
  readonly row: number;
  readonly message: string;
  /** `message` with a page's buttons in place of a terminal's keys. Absent: the same. */
  readonly messageAtPage?: string;
  /** Empty if nothing has to be done. */
  readonly remedy: string;
  /** Of a guard's notice: its condition, and whether that is over. */
  readonly condition?: string;
  readonly isOver?: boolean;
}

export interface InterventionReport {
  readonly isActive: boolean;
  /** Name of the operator, e.g. `joy`. */
  readonly operator: string;
  readonly decidedBy: 'human' | 'scripted';
  readonly episode: number;
  readonly step: number;
  /** Time since the take-over, s. */
  readonly durationS: number;
}

/** A person's verdict on an episode. */
export type Mark = 'success' | 'failure';

/** Safety costs of an episode. */
export interface EpisodeCosts {
  /** Share of its ticks that the filters changed, mean over its steps. */
  readonly filterShare: number;
  /** Energy that its set-points put into the robot, J; 0 without an energy tank. */
  readonly tankDrainJ: number;
  /** Its least margin: 1 in the middle of all limits, 0 at one. */
  readonly marginMin: number;
}

/** Verdict of the task's own rules on an episode decided by a classifier: the first step that they call a success. */
export interface OwnVerdict {
  /** Number of the episode in its transitions. */
  readonly episode: number;
  /** From 0; null if there is none. */
  readonly firstSuccess: number | null;
}

export interface EpisodeResult {
  readonly success: boolean;
  readonly steps: number;
  readonly interventionSteps: number;
  /** Sequences of steps that the operator decided. */
  readonly interventions: number;
  /** Sum of the rewards. */
  readonly returnSum: number;
  readonly costs: EpisodeCosts;
  /** Decided by the task or by a person; else cut by the time limit, or by `abortedBy`. */
  readonly isDecided: boolean;
  /** Set when the guard or `cutBy` ended the motion before the task or the time limit did. */
  readonly abortedBy?: string;
  /** Outcome that it had before it began: it did not begin, and there are no steps. */
  readonly startsAs?: Outcome;
  /** For a task with a phase switch: steps before the critical phase, and its trigger; null: it did not begin. */
  readonly basePhase?: { readonly steps: number; readonly endedBy: PhaseCause | null };
  /** Present if a classifier decides, and the task has rules of its own. */
  readonly own?: OwnVerdict;
}

export type EpisodePurpose = 'training' | 'evaluation';

export interface EpisodeRequest {
  /** `training` is recorded and may explore; `evaluation` acts by the mean, and is not recorded. */
  readonly purpose: EpisodePurpose;
  /** Step limit below the task's; absent or 0: the task's. */
  readonly maxSteps?: number;
  /** Called after every step. The transition is reused: copy it to keep it. */
  readonly onStep?: (transition: Transition) => void;
}

/** Recording of demonstrations by people, without anything else. */
export interface RecordingPlan {
  /** Kept demonstrations, those of earlier starts included, with which the recording ends; absent: it ends on request. */
  readonly episodes?: number | undefined;
}

export interface EpisodeReport extends EpisodeResult {
  readonly purpose: EpisodePurpose | 'demo';
  readonly episode: number;
  /** Its place in the journal; absent if it was not recorded. */
  readonly recordedAs?: EpisodePlace;
  /** `success`, `failure`, `time limit`, or the reason of the cut. */
  readonly endedBy: string;
}

export interface EvaluationRequest {
  /** ≥ 1; absent or 0: the task's. */
  readonly episodes?: number;
  readonly onEpisode?: (done: number, successes: number) => void;
}

export interface EvaluationReport {
  /** Finished episodes. */
  readonly episodes: number;
  readonly successes: number;
  readonly successRate: number;
  /** 95 % interval of the rate. */
  readonly low: number;
  readonly high: number;
  readonly meanSteps: number;
  /** Successes per hour of the robot's time, resets included; 0 before the first episode. */
  readonly successesPerHour: number;
  /** Share of steps that people or the script decided, 0..1. */
  readonly humanStepShare: number;
  /** Reason why it ended before all episodes were done; absent if they were. */
  readonly endedEarly?: string;
}

/** Listener of a session. Calls must be quick and must not throw. */
export interface SessionListener {
  /** Every guard frame; reused: copy it to keep it. */
  frame?(frame: GuardFrame): void;
  /** Software has arranged the scene of an episode. */
  scene?(layout: SceneLayout): void;
  /** The mode, the phase or the learner's state has changed. */
  state?(state: SessionState): void;
  /** Every step; reused. */
  step?(transition: Transition): void;
  episode?(report: EpisodeReport): void;
  intervention?(report: InterventionReport): void;
  event?(event: SessionEvent): void;
}
