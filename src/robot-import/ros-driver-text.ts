/** The `driver` of a robot behind ROS 2, as `rein robot import --ros` writes it: topics and controllers, by the names that ros2_control gives. */
import type { CommandInterface } from '../drivers/index.ts';

/** What people say of the controller that takes the robot's commands. */
export interface RosAsked {
  /** As `ros2 control list_controllers` has it. */
  readonly controller: string;
  /** Absent: by its name. */
  readonly interface?: CommandInterface | undefined;
  /** Controllers that have the joints before. */
  readonly deactivate: readonly string[];
  /** Of joint_states, Hz. */
  readonly rateHz: number;
}

/** No fewer, ms: a tick or two of a machine that is busy. */
const FRESH_MS = 50;
/** Periods of joint_states that a reading may be old. */
const FRESH_PERIODS = 3;
/** Share of the rate below which it is told. */
const RATE_SHARE = 0.8;

/** Where each kind of controller takes its commands, below its name. */
const TOPICS: Readonly<Partial<Record<CommandInterface, string>>> = {
  jointTrajectory: 'joint_trajectory',
  pose: 'target_pose',
};

/** The lines below `driver:`, with comments that `comment` makes. */
export function rosDriverLines(asked: RosAsked, comment: (text: string, indent: string) => string): string[] {
  const { controller, deactivate, rateHz } = asked;
  const kind = asked.interface ?? interfaceOf(controller);
  const freshMs = Math.min(500, Math.max(FRESH_MS, Math.ceil((FRESH_PERIODS * 1e3) / rateHz)));
  const switches = deactivate.length > 0;
  return [
    '  kind: ros',
    `  command: { interface: ${kind}, topic: ${controller}/${TOPICS[kind] ?? 'commands'} }`,
    comment('If the robot calls its joints otherwise: names: [...], in the order of this file.', '  '),
    '  jointStates: { topic: joint_states }',
    comment(
      `${FRESH_PERIODS} periods of joint_states at ${rateHz} Hz, and no less than ${FRESH_MS} ms: so long may it move blind.`,
      '  ',
    ),
    `  freshnessMs: ${freshMs}`,
    `  minimumRateHz: ${Math.max(1, Math.floor(RATE_SHARE * rateHz))}`,
    '  controllerManager:',
    `    controllers: [${controller}]`,
    ...(switches
      ? ['    activateOnEnable: true', `    deactivate: [${deactivate.join(', ')}]`]
      : [
          comment(
            'You switch controllers. true, with deactivate: [those that have the joints before], lets Rein do it.',
            '    ',
          ),
          '    activateOnEnable: false',
        ]),
    comment('What it is drawn, checked and rehearsed by (sim:=true); the robot itself does not need it.', '  '),
  ];
}

function interfaceOf(controller: string): CommandInterface {
  if (controller.includes('trajectory')) return 'jointTrajectory';
  if (controller.includes('velocity')) return 'velocity';
  if (controller.includes('effort')) return 'effort';
  if (/cartesian|pose/.test(controller)) return 'pose';
  return 'position';
}
