/**
 * Settings of HIL-SERL: Luo et al., https://arxiv.org/abs/2410.21845. The numbers are those of the authors' code,
 * https://github.com/rail-berkeley/hil-serl, classes SACAgentHybridSingleArm and GripperPenaltyWrapper.
 */
import { z } from 'zod';
import { group, num } from '../../schema/index.ts';

export const hilSerlSettings = group('What only the algorithm hil-serl reads.', {
  gripperObservations: z
    .array(z.number().int().min(0).max(65_535))
    .max(2)
    .meta({
      unit: '1',
      description:
        "Index of each gripper's place in the observation; as many of the action's last numbers are grippers. [] for none.",
    })
    .default([]),
  openAbove: num('observation', { min: -1e6, max: 1e6 }, 'A gripper whose place is above this is open.').default(0.9),
  // Between ± this value the gripper holds.
  commandThreshold: num(
    '1',
    { above: 0, below: 1 },
    'An action number above this opens the gripper, one below its negative closes it.',
  ).default(0.5),
  // p_g, in the unit of the learned reward
  togglePenalty: num('reward', { min: 0, max: 100 }, 'Deducted for every command that turns a gripper round.').default(
    0.02,
  ),
});
