/** How fast a held key or a stick at its end moves the robot: shares of the full action that hands step through. */

export const SLOWEST_STEP_SCALE = 0.1;
export const STEP_SCALES: readonly number[] = [SLOWEST_STEP_SCALE, 0.2, 0.35, 0.5, 0.75, 1];
