/**
 * Relabelling of a run's record: an overlay beside the journal, which stays as it is. One JSON object per line in
 * `relabel.jsonl`, append-only: an undone relabel stays, with a line that undoes it.
 */
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { storage } from '../host/index.ts';
import { parseObject, ReinError } from '../model/index.ts';
import { isIntervention, type Source, type Transition } from '../rows/index.ts';

const FILE = 'relabel.jsonl';

/** Episode, by the numbering of the journal: starts of the robot, and episodes of a start. */
export interface EpisodePlace {
  readonly epoch: number;
  readonly episode: number;
}

/** One relabel. */
export type Relabel =
  /** Changes these keys of the learner's `interventions`, by which it learns from them. */
  | { readonly kind: 'rule'; readonly rule: Readonly<Record<string, unknown>> }
  /** Outcome of an episode. */
  | (EpisodePlace & { readonly kind: 'outcome'; readonly success: boolean })
  /** Nothing is learned from the episode. */
  | (EpisodePlace & { readonly kind: 'drop' })
  /** Phase of intervention steps [`fromStep`, `toStep`], both from 0. */
  | (EpisodePlace & {
      readonly kind: 'phase';
      readonly phase: 'recover' | 'correct';
      readonly fromStep: number;
      readonly toStep: number;
    });

/** Labels of an episode, in the user's terms. */
export const RELABEL_WORDS = ['success', 'failure', 'drop', 'recovery', 'correction'] as const;
export type RelabelWord = (typeof RELABEL_WORDS)[number];

export interface SaidOfEpisode extends EpisodePlace {
  readonly as: RelabelWord;
  /** For recovery or correction, both ends from 0: `31-38`; default: all intervention steps. */
  readonly steps?: string | undefined;
}

/** Line of the overlay: `id` counts from 1. */
export type NumberedRelabel = Relabel & { readonly id: number };

/** Relabels in effect for a run; applied to transitions in any order. */
export class Relabelling {
  /** In order of entry. */
  readonly all: readonly NumberedRelabel[];
  /** Robot whose transitions are relabelled; absent: all transitions that are read. */
  readonly robotId: string | undefined;
  readonly #episodes = new Map<string, NumberedRelabel[]>();

  constructor(all: readonly NumberedRelabel[], robotId?: string) {
    this.all = all;
    this.robotId = robotId;
    for (const each of all) {
      if (each.kind === 'rule') continue;
      const key = keyOf(each);
      this.#episodes.set(key, [...(this.#episodes.get(key) ?? []), each]);
    }
  }

  /** Changed keys of the rule for interventions; the latest value counts. */
  get rule(): Readonly<Record<string, unknown>> {
    return Object.assign({}, ...this.all.map((each) => (each.kind === 'rule' ? each.rule : {})));
  }

  /** Applies the relabels to `transition`. True if its episode was dropped. */
  apply(transition: Transition): boolean {
    let isDropped = false;
    for (const each of this.#episodes.get(keyOf(transition)) ?? []) {
      if (each.kind === 'drop') isDropped = true;
      else if (each.kind === 'outcome') judge(transition, each.success);
      else if (each.kind === 'phase') mark(transition, each);
    }
    return isDropped;
  }
}

const keyOf = ({ epoch, episode }: EpisodePlace): string => `${epoch}:${episode}`;

/** An operator's verdict takes effect at an episode's last step, as a mark does during the episode. */
function judge(transition: Transition, success: boolean): void {
  if (!transition.terminated && !transition.truncated) return;
  transition.reward = success ? 1 : 0;
  transition.terminated = true;
  transition.truncated = false;
}

function mark(
  transition: Transition,
  { phase, fromStep, toStep }: { readonly phase: string; readonly fromStep: number; readonly toStep: number },
): void {
  const { source, step } = transition;
  if (!isIntervention(source) || step < fromStep || step > toStep) return;
  transition.source = `${source.split('_')[0]}_${phase}` as Source;
}

/** Relabels in effect for the run in `folder`. Throws `ReinError('storage')` for an invalid line. */
export function readRelabelling(folder: string, robotId?: string): Relabelling {
  const path = join(folder, FILE);
  const lines = wholeText(path)
    .split('\n')
    .filter((line) => line !== '');
  const held = new Map<number, NumberedRelabel>();
  for (const [i, line] of lines.entries()) {
    const said = parseObject(line);
    if (said?.['kind'] === 'undo' && typeof said['of'] === 'number') held.delete(said['of']);
    else if (isRelabel(said)) held.set(i + 1, { ...said, id: i + 1 });
    else {
      throw new ReinError('storage', `Line ${i + 1} of ${path} is no relabelling.`, {
        remedy: 'Restore the file from a copy, or take that line out; the journal beside it is untouched.',
      });
    }
  }
  return new Relabelling([...held.values()], robotId);
}

/** Line of the overlay: a relabel, or the undoing of an earlier line. */
type Said = Relabel | { readonly kind: 'undo'; readonly of: number };

/** Without a last line truncated by a crash or a full disk, which was never confirmed. */
function wholeText(path: string): string {
  const text = existsSync(path) ? storage(path, () => readFileSync(path, 'utf8')) : '';
  const end = text.lastIndexOf('\n') + 1;
  return parseObject(text.slice(end)) === undefined ? text.slice(0, end) : text;
}

/** Appends all of `said` for the run in `folder`, or nothing. Throws `ReinError('storage')`. */
export function appendRelabels(folder: string, said: readonly Said[]): void {
  const path = join(folder, FILE);
  const lines = said.map((each) => `${JSON.stringify(each)}\n`).join('');
  if (lines === '') return;
  const before = wholeText(path);
  const bytes = Buffer.byteLength(before);
  const cut = (): void => {
    if (existsSync(path) && statSync(path).size > bytes) truncateSync(path, bytes);
  };
  storage(path, () => {
    cut();
    try {
      appendFileSync(path, `${/[^\n]$/.test(before) ? '\n' : ''}${lines}`);
    } catch (error) {
      // Half a line would corrupt the next one.
      cut();
      throw error;
    }
  });
}

/**
 * Builds the relabel of an episode; `recorded`: its steps, of which recovery and correction need those not decided by
 * the policy. Writes nothing. Throws `ReinError` if it is not possible.
 */
export function relabelOf(
  { epoch, episode, as, steps }: SaidOfEpisode,
  recorded: readonly Pick<Transition, 'source' | 'step'>[],
): Relabel {
  const place = { epoch, episode };
  if (as === 'drop') return { kind: 'drop', ...place };
  if (as === 'success' || as === 'failure') return { kind: 'outcome', ...place, success: as === 'success' };
  return { kind: 'phase', ...place, phase: as === 'recovery' ? 'recover' : 'correct', ...stepsOf(recorded, steps) };
}

/** Builds the undoing of number `id` in `said`. Writes nothing. Throws `ReinError('config')` if no such relabel is in effect. */
export function undoOf(said: Relabelling, id: number): Said {
  if (said.all.every((each) => each.id !== id)) throw refused(`No relabelling ${id} is in effect.`);
  return { kind: 'undo', of: id };
}

/** Only intervention steps can be recovery or correction. */
function stepsOf(
  recorded: readonly Pick<Transition, 'source' | 'step'>[],
  written: string | undefined,
): { readonly fromStep: number; readonly toStep: number } {
  const last = recorded.at(-1)?.step ?? 0;
  const [, from, to] = /^(\d+)-(\d+)$/.exec(written ?? `0-${last}`) ?? [];
  const [fromStep, toStep] = [Number(from), Number(to)];
  if (!(fromStep <= toStep)) throw refused(`"${written}" is not a range of steps: write 31-38.`);
  if (toStep > last) throw refused(`The episode has no step ${toStep}: its last is ${last}.`);
  const meant = recorded.filter(({ step }) => step >= fromStep && step <= toStep);
  const others = meant.filter(({ source }) => !isIntervention(source));
  if (others.length === meant.length) throw refused(`The policy decided all of the steps ${from} to ${to}.`);
  // Without named steps, those of interventions are meant.
  if (written !== undefined && others.length > 0)
    throw refused(`No person had taken over in step ${others[0]!.step}: name steps that a person decided.`);
  return { fromStep, toStep };
}

function refused(message: string): ReinError {
  return new ReinError('config', message, {
    remedy: 'Nothing was written; rein relabel <run> --list shows what is in effect.',
  });
}

function isRelabel(said: unknown): said is Relabel {
  const { kind, epoch, episode, rule, success, phase, fromStep, toStep } = (said ?? {}) as Record<string, unknown>;
  if (kind === 'rule') return typeof rule === 'object' && rule !== null;
  if (!Number.isInteger(epoch) || !Number.isInteger(episode)) return false;
  if (kind === 'drop') return true;
  if (kind === 'outcome') return typeof success === 'boolean';
  const isPhase = phase === 'recover' || phase === 'correct';
  return kind === 'phase' && isPhase && Number.isInteger(fromStep) && Number.isInteger(toStep);
}

/** Text for display, without the number. */
export function relabelText(relabel: Relabel): string {
  if (relabel.kind === 'rule') {
    return `rule: ${Object.entries(relabel.rule)
      .map(([key, value]) => `${key}=${String(value)}`)
      .join(' ')}`;
  }
  const place = `episode ${relabel.epoch}:${relabel.episode}`;
  if (relabel.kind === 'drop') return `${place}: dropped`;
  if (relabel.kind === 'outcome') return `${place}: ${relabel.success ? 'success' : 'failure'}`;
  const what = relabel.phase === 'recover' ? 'recovery' : 'correction';
  return `${place}: ${what} from step ${relabel.fromStep} to ${relabel.toStep}`;
}
