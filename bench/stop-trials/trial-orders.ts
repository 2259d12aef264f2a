/** Orders to the node of the trials. */
export type TrialOrder = 'rest' | 'drive' | 'nan' | 'floodCommands' | 'floodBytes';

/** Duration of a flood, ms, however the guard reacts: connections that are cut off are made again. */
export const FLOOD_MS = 1000;
/** Commands per second of a flood: ten times the long-term limit of a node (`MessageBudget`), at 100 ticks a second. */
export const FLOOD_PER_S = 4000;
