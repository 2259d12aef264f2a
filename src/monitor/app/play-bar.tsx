/** Play button, position and speed, for an episode step by step and for a recording. */
import type { Signal } from '@preact/signals';

const PACES = [0.25, 0.5, 1, 2, 4] as const;

interface PlayBarProps {
  /** Id of the slider, unique on the page. */
  readonly id: string;
  /** Name of the position's unit. */
  readonly label: string;
  /** Last position; the first is 0. */
  readonly last: number;
  readonly at: Signal<number>;
  readonly isPlaying: Signal<boolean>;
  readonly pace: Signal<number>;
  /** Present position, as text. */
  readonly text: string;
}

export function PlayBar({ id, label, last, at, isPlaying, pace, text }: PlayBarProps) {
  return (
    <div class="scrubber">
      <button
        type="button"
        onClick={() => {
          if (at.value >= last) at.value = 0;
          isPlaying.value = !isPlaying.value;
        }}
      >
        {isPlaying.value ? '❚❚ Pause' : '▶ Play'}
      </button>
      <input
        type="range"
        id={id}
        min={0}
        max={last}
        value={Math.min(last, Math.round(at.value))}
        aria-label={label}
        onInput={(event) => {
          isPlaying.value = false;
          at.value = Number(event.currentTarget.value);
        }}
      />
      <output for={id}>{text}</output>
      <Paces pace={pace} />
    </div>
  );
}

function Paces({ pace }: Pick<PlayBarProps, 'pace'>) {
  return (
    <select
      aria-label="Speed of the play-back"
      value={String(pace.value)}
      onChange={(event) => {
        pace.value = Number(event.currentTarget.value);
      }}
    >
      {PACES.map((value) => (
        <option key={value} value={String(value)}>
          {value} ×
        </option>
      ))}
    </select>
  );
}
