/** `driver` section that `rein robot import --ros` writes: topics and controllers, by their names in ros2_control. */
import type { CommandInterface } from '../drivers/index.ts';

/** Controller that takes the robot's commands, as given on the command line. */
export interface RosAsked {
  /** Name in `ros2 control list_controllers`. */
  readonly controller: string;
  /** Absent: derived from the name. */
  readonly interface?: CommandInterface | undefined;
  /** Controllers that hold the joints before. */
  readonly deactivate: readonly string[];
  /** Rate of joint_states, Hz. */
  readonly rateHz: number;
}

/** Smallest `freshnessMs`, ms: a tick or two of a busy machine. */
const FRESH_MS = 50;
/** Permitted age of a reading, periods of joint_states. */
const FRESH_PERIODS = 3;
/** Share of the rate below which it is reported. */
const RATE_SHARE = 0.8;

/** Command topic of each kind of controller, below its name. */
const TOPICS: Readonly<Partial<Record<CommandInterface, string>>> = {
  jointTrajectory: 'joint_trajectory',
  pose: 'target_pose',
};

/** Returns the lines below `driver:`; `comment` formats comments. */
export function rosDriverLines(asked: RosAsked, comment: (text: string, indent: string) => string): string[] {
  const { controller, deactivate, rateHz } = asked;
  const kind = asked.interface ?? interfaceOf(controller);
  const freshMs = Math.min(500, Math.max(FRESH_MS, Math.ceil((FRESH_PERIODS * 1e3) / rateHz)));
  const switches = deactivate.length > 0;
  return [
    '  kind: ros',
    `  command: { interface: ${kind}, topic: ${controller}/${TOPICS[kind] ?? 'commands'} }`,
    comment('If the robot uses other joint names: names: [...], in the order of this file.', '  '),
    '  jointStates: { topic: joint_states }',
    comment(
      `${FRESH_PERIODS} periods of joint_states at ${rateHz} Hz, and no less than ${FRESH_MS} ms: longest motion without a new measurement.`,
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
            'You switch controllers. true, with deactivate: [controllers that hold the joints before], lets Rein do it.',
            '    ',
          ),
          '    activateOnEnable: false',
        ]),
    comment('Model for drawing, checks and rehearsal (sim:=true); the robot itself does not need it.', '  '),
  ];
}

function interfaceOf(controller: string): CommandInterface {
  if (controller.includes('trajectory')) return 'jointTrajectory';
  if (controller.includes('velocity')) return 'velocity';
  if (controller.includes('effort')) return 'effort';
  if (/cartesian|pose/.test(controller)) return 'pose';
  return 'position';
}
