/** What a chart shows, as plain data: the live page and the pages of files draw it alike (`app/plot.tsx`). */
import type { Hue, Point } from './training-charts.ts';

export interface ChartLine {
  readonly label: string;
  readonly hue: Hue;
  /** Dashes, beside the colour, tell lines apart: 0 is a whole one. */
  readonly dash: number;
  /** Ascending in `step`, which stands for the horizontal axis whatever that is. */
  readonly points: readonly Point[];
}

export type Range = readonly [low: number, high: number];

export interface ChartView {
  readonly title: string;
  /** The vertical axis. A `share` of something is 0..1 and written in %. */
  readonly unit: string;
  readonly lines: readonly ChartLine[];
  readonly isLog?: boolean | undefined;
  readonly note?: string | undefined;
  /** What the horizontal axis is, where that is not environment steps: such a chart is zoomed alone. */
  readonly along?: string;
  /** Written below the horizontal axis. Default: nothing. */
  readonly xLabel?: string;
  readonly isLogX?: boolean;
  /** Ends of the axes. Default: of what is drawn. */
  readonly xRange?: Range;
  readonly yRange?: { readonly low?: number; readonly high?: number };
  /** The last step of all charts beside it: they have one axis. */
  readonly lastStep?: number;
  /** For people who cannot see it. Default: the newest value of each line. */
  readonly description?: string;
  readonly heightPx?: number;
  readonly dots?: { readonly hue: Hue; readonly points: readonly Range[] };
  /** [from, to, height]. */
  readonly bars?: { readonly hue: Hue; readonly bars: readonly (readonly [number, number, number])[] };
  /** A value with a name, as a line across; `mark`: one as a line upwards. */
  readonly level?: { readonly hue: Hue; readonly at: number; readonly label: string };
  readonly mark?: { readonly hue: Hue; readonly at: number; readonly label: string };
}
