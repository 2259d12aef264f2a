/**
 * Layout of a sample of all clearances. Per row: the clearance (m), a unit normal towards the first capsule (3), the
 * ends of the first capsule (6) and of the second one (6), m. Pairs use the frame of their last common link, keep-out
 * boxes the base frame; walls have no ends.
 */
export const SAMPLE_SIZE = 16;
export const NORMAL = 1;
export const ENDS = 4;
export const OTHER = 10;
