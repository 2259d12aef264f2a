/** Content of a chart, as plain data; the live page and the pages saved as files draw it alike (`app/plot.tsx`). */
import type { Hue, Point } from './training-charts.ts';

export interface ChartLine {
  readonly label: string;
  readonly hue: Hue;
  /** Dash pattern that distinguishes lines besides colour; 0 is solid. */
  readonly dash: number;
  /** Ascending in `step`, the value on the horizontal axis, whatever that is. */
  readonly points: readonly Point[];
}

export type Range = readonly [low: number, high: number];

export interface ChartView {
  readonly title: string;
  /** Unit of the vertical axis. A `share` is 0..1 and written in %. */
  readonly unit: string;
  readonly lines: readonly ChartLine[];
  readonly isLog?: boolean | undefined;
  readonly note?: string | undefined;
  /** Quantity on the horizontal axis if not environment steps: such a chart zooms by itself. */
  readonly along?: string;
  /** Label below the horizontal axis. Default: none. */
  readonly xLabel?: string;
  readonly isLogX?: boolean;
  /** Ends of the axes. Default: of the data. */
  readonly xRange?: Range;
  readonly yRange?: { readonly low?: number; readonly high?: number };
  /** Last step of all charts shown together: they share one axis. */
  readonly lastStep?: number;
  /** Text for screen readers. Default: the newest value of each line. */
  readonly description?: string;
  readonly heightPx?: number;
  readonly dots?: { readonly hue: Hue; readonly points: readonly Range[] };
  /** [from, to, height]. */
  readonly bars?: { readonly hue: Hue; readonly bars: readonly (readonly [number, number, number])[] };
  /** Named value drawn as a horizontal line; `mark`: as a vertical line. */
  readonly level?: { readonly hue: Hue; readonly at: number; readonly label: string };
  readonly mark?: { readonly hue: Hue; readonly at: number; readonly label: string };
}
