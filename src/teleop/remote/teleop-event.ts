/** Reports of an operator's device besides motion, for events and diagnostics. */

export interface TeleopEvent {
  /** Row of the fault table. */
  readonly row: 18 | 19 | 20;
  readonly name: 'teleopLost' | 'teleopStale' | 'teleopStuck';
  readonly message: string;
  readonly remedy: string;
}
