/** Speeds of a held key or a stick at its end: shares of the full action that operators step through. */
const STEP_SCALES: readonly number[] = [0.1, 0.2, 0.35, 0.5, 0.75, 1];

export const FIRST_STEP_SCALE = 0.5;

/** Returns the next scale below `scale`; the slowest if there is none. */
export function slower(scale: number): number {
  return STEP_SCALES.findLast((step) => step < scale) ?? STEP_SCALES[0]!;
}

/** Returns the next scale above `scale`; the full action if there is none. */
export function faster(scale: number): number {
  return STEP_SCALES.find((step) => step > scale) ?? 1;
}
