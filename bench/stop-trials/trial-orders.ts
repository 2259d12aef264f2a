/** What the node of the trials can be told to do. */
export type TrialOrder = 'rest' | 'drive' | 'nan' | 'floodCommands' | 'floodBytes';

/** A flood of a trial lasts so long, ms, whatever the guard does about it: connections that are cut off are made again. */
export const FLOOD_MS = 1000;
/** Commands a second of a flood: ten times what a node may say in the long run (`MessageBudget`), at 100 ticks a second. */
export const FLOOD_PER_S = 4000;
