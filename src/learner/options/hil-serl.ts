/**
 * What only HIL-SERL is told: Luo et al., https://arxiv.org/abs/2410.21845. The numbers are those of the authors' code,
 * https://github.com/rail-berkeley/hil-serl, classes SACAgentHybridSingleArm and GripperPenaltyWrapper.
 */
export interface HilSerlSettings {
  /**
   * Where the observation's state has the place of each gripper, an index for each: as many of the action's last numbers are grippers.
   * Empty: the robot has none, and all numbers of the action are continuous. At most 2.
   */
  readonly gripperObservations: readonly number[];
  /** A gripper whose observed place is above this is open, otherwise closed; in the unit of the observation. */
  readonly openAbove: number;
  /** An action number above this opens, one below its negative closes, one between lets the gripper be; (0, 1). */
  readonly commandThreshold: number;
  /** p_g ≥ 0: deducted for every command that turns a gripper round, in the unit of the learned reward. */
  readonly togglePenalty: number;
}

export const DEFAULT_HIL_SERL_SETTINGS: HilSerlSettings = {
  gripperObservations: [],
  openAbove: 0.9,
  commandThreshold: 0.5,
  togglePenalty: 0.02,
};
