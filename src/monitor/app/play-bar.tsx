/** Play, a place in what is played, and how fast: of an episode step by step, and of a recording. */
import type { Signal } from '@preact/signals';

const PACES = [0.25, 0.5, 1, 2, 4] as const;

interface PlayBarProps {
  /** The slider's, once a page. */
  readonly id: string;
  /** What a place is. */
  readonly label: string;
  /** Places from 0 to this. */
  readonly last: number;
  readonly at: Signal<number>;
  readonly isPlaying: Signal<boolean>;
  readonly pace: Signal<number>;
  /** Where it is, in words. */
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
