/** Step-by-step player of an episode: requested actions, changes by the safety chain, executed action, and the robot's pose. */
import { computed, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type FrameView, type StepView, sourceName } from '../../rows/portable.ts';
import { Picture } from './picture.tsx';
import { Pixels, picturesIn } from './pixels.tsx';
import { PlayBar } from './play-bar.tsx';
import { Plot } from './plot.tsx';
import type { Pose } from './robot-view.ts';
import { purposeText, run } from './stream.ts';

/** Numbers as in JSON, where NaN is null. */
type Plain<T> = {
  readonly [K in keyof T]: T[K] extends Float64Array
    ? readonly (number | null)[]
    : T[K] extends number
      ? number | null
      : T[K];
};

export interface EpisodeTrace {
  readonly episode: number;
  readonly purpose: string;
  readonly endedBy: string;
  readonly stepCount: number;
  /** Stride of the listed steps: 1 except for very long episodes. */
  readonly every: number;
  readonly steps: readonly (Plain<StepView> & { readonly frame?: Plain<FrameView> })[];
}
type Step = EpisodeTrace['steps'][number];

const at = signal(0);
const isPlaying = signal(false);
const pace = signal<number>(1);
/** Field of the observation with the base policy's action, the last of all. */
const BASE_ACTION = 'base_action';

const shownSteps = signal<EpisodeTrace['steps']>([]);
const step = computed(() => shownSteps.value[at.value]);
const pose = computed<Pose | undefined>(() => {
  // A step without a frame (trace cut) keeps the previous pose.
  const frame = shownSteps.value.slice(0, at.value + 1).findLast((each) => each.frame !== undefined)?.frame;
  if (frame === undefined) return undefined;
  const numbers = (values: readonly (number | null)[]): Float64Array =>
    Float64Array.from(values, (value) => value ?? Number.NaN);
  const { positionRad, referenceRad, objects, signals } = frame;
  return {
    positionRad: numbers(positionRad),
    referenceRad: numbers(referenceRad),
    objects: numbers(objects),
    signals: numbers(signals),
  };
});

export function Player({ trace }: { readonly trace: EpisodeTrace }) {
  const { episode, purpose, endedBy, stepCount, every, steps } = trace;
  useEffect(() => {
    shownSteps.value = steps;
    at.value = 0;
    isPlaying.value = false;
  }, [trace]);
  usePlaying(every);
  useEffect(hearArrows, []);
  const margins = useMemo(
    () => [
      { label: 'margin', hue: 'blue', dash: 0, points: pointsOf(steps, 'marginMin') } as const,
      { label: 'reward', hue: 'orange', dash: 1, points: pointsOf(steps, 'reward') } as const,
    ],
    [trace],
  );
  return (
    <section class="player" aria-label={`Episode ${episode}`}>
      <h2>
        Episode {episode}, {purposeText(purpose)}: {endedBy} after {stepCount} steps
      </h2>
      <div class="live">
        <Picture frame={pose} />
        <Wanted />
      </div>
      <Seen />
      <PlayBar
        {...{ at, isPlaying, pace }}
        id="scrubber"
        label="Step"
        last={Math.max(0, steps.length - 1)}
        text={`step ${step.value?.step ?? at.value}`}
      />
      <Plot title="Margin and reward" unit="" lines={margins} along="step of the episode" />
    </section>
  );
}

/** Left and right arrow keys step, unless the focused element uses them. */
function hearArrows(): () => void {
  const down = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0 || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    isPlaying.value = false;
    at.value = Math.max(0, Math.min(shownSteps.value.length - 1, at.value + by));
  };
  addEventListener('keydown', down);
  return () => removeEventListener('keydown', down);
}

/** Advances the steps while playing, at the robot's pace times `pace`. */
function usePlaying(every: number): void {
  const policyHz = run.value?.task.policyHz ?? 10;
  useEffect(() => {
    if (!isPlaying.value) return undefined;
    const timer = setInterval(
      () => {
        if (at.value + 1 < shownSteps.value.length) at.value++;
        else isPlaying.value = false;
      },
      (1e3 * every) / policyHz / pace.value,
    );
    return () => clearInterval(timer);
  }, [isPlaying.value, pace.value, every, policyHz]);
}

/** Camera images that the policy received at the step. */
function Seen() {
  const [shown, task] = [step.value, run.value?.task];
  if (shown === undefined || task === undefined || task.cameras.length === 0) return null;
  return (
    <div class="cameras">
      {picturesIn(task, shown.observation).map((picture) => (
        <figure key={picture.name}>
          <figcaption>{picture.name}</figcaption>
          <Pixels {...picture} />
        </figure>
      ))}
    </div>
  );
}

/** Decider of a step, as text. */
function deciderOf(step: Step): string | undefined {
  const source = sourceName(step);
  if (step.isBasePhase !== 1) return source;
  return source === 'policy' ? 'base policy, before the critical phase' : `${source}, before the critical phase`;
}

/** Requested action of each decider per dimension, −1 to 1, and the executed one. */
function Wanted() {
  const shown = step.value;
  const task = run.value?.task;
  if (shown === undefined || task === undefined) return null;
  const { dimensions } = task.action;
  const base = task.observation.once?.at(-1)?.name === BASE_ACTION ? shown.observation.slice(-dimensions.length) : [];
  const columns: readonly (readonly [title: string, values: readonly (number | null)[]])[] = [
    ['policy', shown.policyAction],
    ...(base.length === 0 ? [] : [['base', base] as const]),
    ['person', shown.humanAction],
    ['executed', shown.executed],
  ];
  return (
    <section class="wanted" aria-label="What was wanted and done">
      <p>
        Decided by <b id="decided-by">{deciderOf(shown)}</b>, policy version {shown.policyVersion}. Reward{' '}
        {text(shown.reward)}.
      </p>
      <table>
        <thead>
          <tr>
            <th>a step, at most</th>
            {columns.map(([title]) => (
              <th key={title}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {dimensions.map(({ name, scale, unit }, i) => (
            <tr key={name}>
              <th scope="row">
                {name}{' '}
                <span class="soft">
                  {Number((1e3 * scale).toPrecision(3))} m{unit}
                </span>
              </th>
              {columns.map(([title, values]) => (
                <td key={title}>{text(values[i])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <StagesOf shown={shown} />
    </section>
  );
}

/** Changes by each stage in the ticks of the step, and their reasons. */
function StagesOf({ shown }: { readonly shown: Step }) {
  const told = run.value;
  if (told === undefined) return null;
  const before = shownSteps.value[at.value - 1]?.frame?.stageTicks;
  const now = shown.frame?.stageTicks;
  const reasons = told.reasons.filter(({ bit }) => ((shown.filterBits ?? 0) & bit) !== 0);
  return (
    <>
      <p>
        {reasons.length === 0 ? 'The safety chain changed nothing.' : null}
        {reasons.map(({ name, message }) => (
          <span key={name}>
            <b>{name}</b>: {message}{' '}
          </span>
        ))}
      </p>
      <ul class="evidence">
        {told.stages.map((name, i) => {
          const ticks = before === undefined || now === undefined ? 0 : (now[i] ?? 0) - (before[i] ?? 0);
          return ticks > 0 ? (
            <li key={name}>
              {name}: changed {ticks} {ticks === 1 ? 'tick' : 'ticks'}
            </li>
          ) : null;
        })}
      </ul>
    </>
  );
}

function pointsOf(steps: EpisodeTrace['steps'], key: 'marginMin' | 'reward') {
  return steps.flatMap((each, i) => {
    const value = each[key];
    return value === null ? [] : [{ step: each.step ?? i, value }];
  });
}

function text(value: number | null | undefined): string {
  return value === null || value === undefined || Number.isNaN(value) ? '–' : value.toFixed(2);
}
