/** What the node of the trials can be told to do. */
export type TrialOrder = 'rest' | 'drive' | 'nan' | 'floodCommands' | 'floodBytes';
