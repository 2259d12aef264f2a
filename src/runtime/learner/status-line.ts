/** What a learner says of itself, once a second, where a person looks on. */

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
  /** What a learner with a checkpoint waits for before it goes on; absent where it does not wait. */
  readonly waitsFor: Counts | undefined;
  /** Of the policy that was published last. */
  readonly version: number;
}

/** One line. */
export function statusLine(state: LearnerState): string {
  const { robots, counts, updates, refused, updatesPerS, waitsFor, version } = state;
  const who = robots.length === 0 ? 'no robot' : robots.join(', ');
  const parts = [
    `${who}: ${counts.demonstrations} demonstration steps`,
    `${counts.online} steps`,
    `${updates} updates`,
    ...(updatesPerS === undefined ? [] : [`${updatesPerS.toFixed(0)} updates/s`]),
    ...(refused === 0 ? [] : [`calls that were not finite: ${refused}`]),
    ...(waitsFor === undefined ? [] : [waiting(counts, waitsFor)]),
    `policy ${version}`,
  ];
  return parts.join(', ');
}

function waiting(counts: Counts, { online, demonstrations }: Counts): string {
  const here = Math.min(counts.online, online) + Math.min(counts.demonstrations, demonstrations);
  const all = online + demonstrations;
  return `waiting for ${all - here} of ${all} transitions of the checkpoint`;
}
