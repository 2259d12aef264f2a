/** What a session is asked, and what it tells: plain data for displays, ROS topics and tests. */
import type { GuardFrame, SceneLayout, Transition } from '../core/index.ts';
import type { EpisodePlace } from '../record/index.ts';
import type { Outcome } from '../tasks/index.ts';
import type { PhaseCause } from './phase-switch.ts';

/** What the robot is being used for at the moment. */
export type SessionMode = 'idle' | 'episode' | 'running' | 'evaluating' | 'stopped' | 'fault';

export interface SessionState {
  readonly mode: SessionMode;
  /** For people, e.g. `training`. */
  readonly phase: string;
  /** Of the node's life, from 0. */
  readonly episode: number;
  readonly step: number;
  readonly authority: 'policy' | 'script' | 'human' | 'hold' | 'stop';
  /** Steps recorded for training since the run began. */
  readonly envSteps: number;
  /** Share of the last episodes that succeeded without help, 0..1; 0 before the first. */
  readonly successRate: number;
  /** Successes in an hour of the robot's time, resets included; 0 before the first episode. */
  readonly successesPerHour: number;
  /** Share of the steps that people or the script decided, 0..1. */
  readonly humanStepShare: number;
  /** Training episodes since the run began. */
  readonly episodes: number;
  readonly learner: 'connected' | 'connecting' | 'absent' | 'refused';
  /** Recorded, and not acknowledged by the learner yet. */
  readonly pendingTransitions: number;
  /** The least safety margin of the last recorded step: 1 in the middle of all limits, 0 at one. */
  readonly marginMin: number;
}

export interface PolicyState {
  /** 0: no weights. */
  readonly version: number;
  /** Since these weights began to act, s; 0 without weights. */
  readonly ageS: number;
  /** Inference alone; 0 before the first. */
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
  readonly observationAgeMs: number;
  readonly runId: string;
  readonly state: 'absent' | 'ready' | 'acting' | 'unusable';
}

/** What happened, for people and logs. */
export interface SessionEvent {
  readonly level: 'info' | 'warn' | 'error';
  /** Of the kind of event; the flag's name for faults. */
  readonly name: string;
  /** Row of the fault table; 0 for none. */
  readonly row: number;
  readonly message: string;
  /** `message` with a page's buttons in place of a terminal's keys. Absent: the same. */
  readonly messageAtPage?: string;
  /** Empty where nothing has to be done. */
  readonly remedy: string;
  /** Of what the guard says: as in its notice. */
  readonly condition?: string;
  readonly isOver?: boolean;
}

export interface InterventionReport {
  readonly isActive: boolean;
  /** Which operator, e.g. `joy`. */
  readonly operator: string;
  readonly decidedBy: 'human' | 'scripted';
  readonly episode: number;
  readonly step: number;
  /** How long control has been taken over, s. */
  readonly durationS: number;
}

/** A person's verdict on an episode. */
export type Mark = 'success' | 'failure';

/** What an episode cost the safety chain. */
export interface EpisodeCosts {
  /** Share of its ticks that the filters changed, the mean over its steps. */
  readonly filterShare: number;
  /** Energy that its set-points put into the robot, J; 0 without an energy tank. */
  readonly tankDrainJ: number;
  /** Its least margin: 1 in the middle of all limits, 0 at one. */
  readonly marginMin: number;
}

/** What the task's own rules say of an episode in which a classifier decides: the first step that they call a success. */
export interface OwnVerdict {
  /** As its transitions number it. */
  readonly episode: number;
  /** From 0; null where no step is one. */
  readonly firstSuccess: number | null;
}

export interface EpisodeResult {
  readonly success: boolean;
  readonly steps: number;
  readonly interventionSteps: number;
  /** Runs of steps that the operator decided. */
  readonly interventions: number;
  /** Sum of the rewards. */
  readonly returnSum: number;
  readonly costs: EpisodeCosts;
  /** Decided by the task or by a person; else it was cut: by the time limit, or by what `abortedBy` says. */
  readonly isDecided: boolean;
  /** Set when the guard or `cutBy` ended the motion before the task or the time limit did. */
  readonly abortedBy?: string;
  /** It was one before it began: it did not begin, and there are no steps. */
  readonly startsAs?: Outcome;
  /** Where the task has a phase switch: steps before the critical phase, and what began it; null: nothing did. */
  readonly basePhase?: { readonly steps: number; readonly endedBy: PhaseCause | null };
  /** Where a classifier decides, and the task has rules of its own. */
  readonly own?: OwnVerdict;
}

export type EpisodePurpose = 'training' | 'evaluation';

export interface EpisodeRequest {
  /** `training` is recorded and may explore; `evaluation` acts by the mean, and nothing of it is recorded. */
  readonly purpose: EpisodePurpose;
  /** Cuts it earlier than the task does; absent or 0: the task's. */
  readonly maxSteps?: number;
  /** Called after every step. The transition is reused: copy what you keep. */
  readonly onStep?: (transition: Transition) => void;
}

/** Demonstrations that people record, and nothing else is done. */
export interface RecordingPlan {
  /** The recording ends with so many demonstrations kept, those of earlier starts included; absent: when somebody ends it. */
  readonly episodes?: number | undefined;
}

export interface EpisodeReport extends EpisodeResult {
  readonly purpose: EpisodePurpose | 'demo';
  readonly episode: number;
  /** Where the journal has it; absent where it has not. */
  readonly recordedAs?: EpisodePlace;
  /** `success`, `failure`, `time limit`, or the reason why it was cut. */
  readonly endedBy: string;
}

export interface EvaluationRequest {
  /** ≥ 1; absent or 0: the task's. */
  readonly episodes?: number;
  readonly onEpisode?: (done: number, successes: number) => void;
}

export interface EvaluationReport {
  /** Finished ones. */
  readonly episodes: number;
  readonly successes: number;
  readonly successRate: number;
  /** 95 % interval of the rate. */
  readonly low: number;
  readonly high: number;
  readonly meanSteps: number;
  /** Successes in an hour of the robot's time, resets included; 0 before the first episode. */
  readonly successesPerHour: number;
  /** Share of the steps that people or the script decided, 0..1. */
  readonly humanStepShare: number;
  /** Why it ended before all episodes were done; absent where they were. */
  readonly endedEarly?: string;
}

/** Whoever watches a session. Calls must be quick and must not throw. */
export interface SessionListener {
  /** Every guard frame; reused, copy what you keep. */
  frame?(frame: GuardFrame): void;
  /** Software put the scene in place for an episode. */
  scene?(layout: SceneLayout): void;
  /** The mode, the phase or the learner's state has changed. */
  state?(state: SessionState): void;
  /** Every step; reused. */
  step?(transition: Transition): void;
  episode?(report: EpisodeReport): void;
  intervention?(report: InterventionReport): void;
  event?(event: SessionEvent): void;
}
