/** What a learner says of itself, once a second, where a person looks on. */
import { clockText } from '../../core/index.ts';

/** Transitions that a learner has. */
interface Counts {
  readonly online: number;
  readonly demonstrations: number;
}

/** How a learner is doing. */
export interface LearnerState {
  /** Names of those that are connected. */
  readonly robots: readonly string[];
  readonly counts: Counts;
  readonly updates: number;
  /** Training calls whose result was not finite and was thrown away. */
  readonly refused: number;
  /** Absent before the training has begun. */
  readonly updatesPerS: number | undefined;
  /** Seconds since it was started. */
  readonly elapsedS: number;
  /** Updates per environment step: achieved, and as configured. */
  readonly utd: number;
  readonly utdTarget: number;
  /** Of the critic, as written last; absent where there is none yet. */
  readonly criticLoss: number | undefined;
  /** Of the last episodes without help that its robots brought to their own end. */
  readonly success: { readonly successes: number; readonly episodes: number };
  /** Demonstrations that nobody has given yet; 0 where none are missing. */
  readonly awaitedDemonstrations: number;
  /** What a learner with a checkpoint waits for before it goes on; absent where it does not wait. */
  readonly waitsFor: Counts | undefined;
  /** Of the policy that was published last. */
  readonly version: number;
}

/** One line. */
export function statusLine(state: LearnerState): string {
  const { robots, counts, updates, refused, updatesPerS, waitsFor, version, utd, utdTarget, criticLoss, success } =
    state;
  const who = robots.length === 0 ? 'no robot' : robots.join(', ');
  const parts = [
    `${clockText(state.elapsedS)} ${who}: ${counts.demonstrations} demonstration steps`,
    `${counts.online} steps`,
    `${updates} updates`,
    ...(updatesPerS === undefined
      ? []
      : [`UTD ${utd.toFixed(2)} of ${utdTarget}`, `${updatesPerS.toFixed(0)} updates/s`]),
    ...(criticLoss === undefined ? [] : [`critic loss ${criticLoss.toPrecision(2)}`]),
    ...(success.episodes === 0
      ? []
      : [`${success.successes} of the last ${success.episodes} episodes without help succeeded`]),
    ...(refused === 0 ? [] : [`calls that were not finite: ${refused}`]),
    ...(waitsFor === undefined ? [] : [waiting(counts, waitsFor)]),
    `policy ${version}`,
  ];
  const line = parts.join(', ');
  if (state.awaitedDemonstrations === 0) return line;
  return `${line}; waiting for ${state.awaitedDemonstrations} demonstrations: a robot gives them with --operator scripted, or you do with --operator keyboard`;
}

function waiting(counts: Counts, { online, demonstrations }: Counts): string {
  const here = Math.min(counts.online, online) + Math.min(counts.demonstrations, demonstrations);
  const all = online + demonstrations;
  return `waiting for ${all - here} of ${all} transitions of the checkpoint`;
}
