/** Relabelling from pages: as with `rein relabel`, for episodes that the run's trace can play back. */
import { describeError } from '../../model/index.ts';
import {
  appendRelabels,
  type EpisodePlace,
  RELABEL_WORDS,
  type RelabelWord,
  readRelabelling,
  relabelOf,
  relabelText,
  undoOf,
} from '../../record/index.ts';
import type { TraceReader } from '../../record/trace.ts';
import { SOURCES } from '../../rows/index.ts';

/** Relabel in effect. */
export interface RelabelListing {
  readonly id: number;
  readonly text: string;
  /** Episode that it applies to; absent for a rule, which applies to all. */
  readonly of?: EpisodePlace;
}

const PHASES: readonly RelabelWord[] = ['recovery', 'correction'];
const NO_STEPS = 'The trace has no steps of this episode: use rein relabel, which reads the journal.';

/** Relabels of the run in `folder`, oldest first. */
export function listRelabels(folder: string): readonly RelabelListing[] {
  return readRelabelling(folder).all.map((each) => ({
    id: each.id,
    text: relabelText(each),
    ...(each.kind === 'rule' ? {} : { of: { epoch: each.epoch, episode: each.episode } }),
  }));
}

/**
 * Executes a page's request: `{ undo }`, or `{ episode, as, steps? }` with the episode's number in the trace. Returns a
 * sentence for the user, whatever the outcome.
 */
export async function relabelFromPage(
  folder: string,
  trace: Pick<TraceReader, 'episode'>,
  { episode: number, as, steps, undo }: Readonly<Record<string, unknown>>,
): Promise<string> {
  try {
    if (typeof undo === 'number') {
      appendRelabels(folder, [undoOf(readRelabelling(folder), undo)]);
      return `Relabelling ${undo} is undone.`;
    }
    if (!isWord(as) || typeof number !== 'number') return 'Unknown label: nothing was written.';
    const traced = await trace.episode(number);
    if (traced?.recordedAs === undefined) return `The journal has no episode ${number}: nothing is learned from it.`;
    if (PHASES.includes(as) && traced.steps.length === 0) return `Nothing was written. ${NO_STEPS}`;
    const recorded = traced.steps.map(({ source, step }) => ({ source: SOURCES[Number(source)]!, step: Number(step) }));
    const said = { ...traced.recordedAs, as, steps: typeof steps === 'string' ? steps : undefined };
    const relabel = relabelOf(said, recorded);
    appendRelabels(folder, [relabel]);
    return `${relabelText(relabel)}. It counts wherever this run is learned from later.`;
  } catch (error) {
    return describeError(error, 'monitor').trim();
  }
}

function isWord(value: unknown): value is RelabelWord {
  return RELABEL_WORDS.some((word) => word === value);
}
