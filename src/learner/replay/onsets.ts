/** Applies the intervention rule to the steps around the onset of an intervention, as transitions arrive. */
import { isIntervention, type Source, type Transition } from '../../rows/index.ts';
import type { InterventionRule } from '../options/interventions.ts';
import { NO_ROW, type TransitionRing } from './ring.ts';

/** True if a step decided by `source` counts as a demonstration. */
export function isDemonstrated(source: Source, { demonstrate }: InterventionRule): boolean {
  if (source === 'demo') return true;
  if (!isIntervention(source) || demonstrate === 'none') return false;
  return demonstrate === 'all' || source.endsWith('recover') === (demonstrate === 'recovery');
}

/** The policy's newest steps of a robot, in one episode and without a gap. */
interface PolicySteps {
  epoch: number;
  episode: number;
  step: number;
  readonly rows: number[];
}

/**
 * Amends policy rows once the intervention after them arrives. Updates see the change from the onset's own step on, so what they
 * learn from does not depend on how far arrivals run ahead.
 */
export class Onsets {
  readonly #online: TransitionRing;
  readonly #rule: InterventionRule;
  readonly #kept: number;
  readonly #robots = new Map<string, PolicySteps>();

  constructor(online: TransitionRing, rule: InterventionRule) {
    this.#online = online;
    this.#rule = rule;
    this.#kept = Math.max(rule.leaveOutBeforeSteps, rule.onsetPenalty > 0 ? 1 : 0);
  }

  /** Call after `transition` of `robot` was stored in `row`, which updates see from `visibleFrom` online transitions on. */
  see(robot: string, { source, epoch, episode, step }: Transition, row: number, visibleFrom: number): void {
    if (this.#kept === 0 || row === NO_ROW) return;
    let before = this.#robots.get(robot);
    if (before === undefined) {
      before = { epoch, episode, step: Number.NaN, rows: [] };
      this.#robots.set(robot, before);
    }
    const { rows } = before;
    if (before.epoch !== epoch || before.episode !== episode || before.step !== step - 1) rows.length = 0;
    Object.assign(before, { epoch, episode, step });
    if (!isIntervention(source)) {
      rows.push(row);
      if (rows.length > this.#kept) rows.shift();
      return;
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    const { leaveOutBeforeSteps, onsetPenalty } = this.#rule;
    if (onsetPenalty > 0) this.#online.deduct(last, onsetPenalty, visibleFrom);
    if (leaveOutBeforeSteps > 0) for (const each of rows) this.#online.leaveOut(each, visibleFrom);
    rows.length = 0;
  }
}

/**
 * Selects from a whole record, in order, what is learned from offline, where all of it counts as demonstrations: drops interventions
 * not demonstrated under `rule`, the steps before an onset that it leaves out and those of the base phase, and applies its penalty.
 */
export function routedOffline(transitions: readonly Transition[], rule: InterventionRule): readonly Transition[] {
  const leftOut = new Set<Transition>();
  let policy: Transition[] = [];
  for (const [i, transition] of transitions.entries()) {
    const before = transitions[i - 1];
    const isSameEpisode = before?.epoch === transition.epoch && before.episode === transition.episode;
    if (!isSameEpisode) policy = [];
    if (transition.isBasePhase) leftOut.add(transition);
    if (!isIntervention(transition.source)) {
      policy.push(transition);
      continue;
    }
    if (!isDemonstrated(transition.source, rule)) leftOut.add(transition);
    const last = policy.at(-1);
    if (last !== undefined) last.reward -= rule.onsetPenalty;
    if (rule.leaveOutBeforeSteps > 0) for (const each of policy.slice(-rule.leaveOutBeforeSteps)) leftOut.add(each);
    policy = [];
  }
  return transitions.filter((transition) => !leftOut.has(transition));
}
