/**
 * How a sample of all clearances is laid out. Of each row: the clearance (m), a unit normal towards the first capsule (3),
 * the ends of the first capsule (6) and of the other one (6), m; those of a pair in the frame of the link that both hang
 * on, of keep-out boxes in the base frame, and of walls none.
 */
export const SAMPLE_SIZE = 16;
export const NORMAL = 1;
export const ENDS = 4;
export const OTHER = 10;
