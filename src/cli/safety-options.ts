import type { StageName } from '../safety/index.ts';

/** What `rein safety check` was asked to do. */
export interface SafetyCheckOptions {
  /** A robot's name, or a file. */
  readonly subject: string;
  readonly limits?: string | undefined;
  /** Acceleration of joints of which no file says it, rad/s². */
  readonly accelMaxRadPerS2?: number | undefined;
  /** Heaviest load of the tool, kg. */
  readonly payloadMaxKg?: number | undefined;
  /** Joints that stand still. */
  readonly fixed: readonly string[];
  /** Folders of ROS packages by name. */
  readonly packages: Readonly<Record<string, string>>;
  readonly timeLimitS?: number | undefined;
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

/** What `rein safety identify` was asked to do. */
export interface SafetyIdentifyOptions {
  /** A robot's name, or its file. */
  readonly robot: string;
  /** Where the piece for the robot's file is written. */
  readonly out: string;
  /** `asFastAsItGoes`: a simulated arm in lock-step; others keep real time anyway. */
  readonly pace: 'asFastAsItGoes' | 'realTime';
  readonly durationS: number;
  readonly filterS: number;
  readonly seed: number;
  readonly json?: string | undefined;
  readonly output: 'live' | 'quiet';
  /** The command line, for the piece's head. */
  readonly command: string;
}
