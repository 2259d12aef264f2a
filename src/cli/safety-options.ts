import type { StageName } from '../safety/index.ts';

/** What `rein safety check` was asked to do. */
export interface SafetyCheckOptions {
  /** A robot's name, or a file. */
  readonly subject: string;
  readonly limits?: string | undefined;
  readonly ticks: number;
  readonly seed: number;
  readonly chain: 'on' | 'off';
  readonly without: readonly StageName[];
  /** Folder of the report. */
  readonly out: string;
  readonly json?: string | undefined;
  readonly output: 'live' | 'quiet';
  /** The command line, for the report. */
  readonly command: string;
}
