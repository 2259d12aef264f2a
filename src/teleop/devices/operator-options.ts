/** Section `operators` of a file: the devices with which operators may take over. */
import { z } from 'zod';
import { type Configured, name, num, triple } from '../../schema/index.ts';
import { JOY_PAD_NAMES } from '../remote/joy-pads.ts';
import { KEY_CODES } from './key-events.ts';
import type { PedalRole } from './pedal.ts';

const device = (what: string): z.ZodOptional<z.ZodString> =>
  z
    .string()
    .min(1)
    .max(4096)
    .meta({
      description: `Its file, such as one in \`/dev/input/by-id/\`. Default: the first ${what} that is plugged in.`,
    })
    .optional();

const motionKeys = {
  deadzone: num('1', { min: 0, max: 0.5 }, "Share of a stick's range that counts as its middle.").default(0.1),
  speed: num('1', { above: 0, max: 1 }, 'Action at full deflection of a stick, at the start.').default(0.5),
  frame: z
    .enum(['base', 'tool', 'camera'])
    .meta({ description: 'Frame of the motion: the base of the robot, the tool, or `cameraRpyRad`.' })
    .default('base'),
  cameraRpyRad: triple(
    'rad',
    'Roll, pitch and yaw, in the base frame, of the camera that the person sees through: x into the picture, y to the left.',
  ).default([0, 0, 0]),
};

const key = (what: string): z.ZodOptional<z.ZodEnum<Record<string, string>>> =>
  z
    .enum(Object.keys(KEY_CODES) as [string])
    .meta({ description: `Key that ${what}, as Linux names it.` })
    .optional();

const keyboard = z.strictObject({
  kind: z.literal('keyboard').meta({ description: 'The keyboard of the terminal: `keyboard`.' }),
});

const gamepad = z.strictObject({
  kind: z.literal('gamepad').meta({ description: 'A gamepad or joystick on this machine: `gamepad`.' }),
  device: device('gamepad'),
  pad: z
    .enum(JOY_PAD_NAMES)
    .meta({
      description:
        'Which sticks and buttons do what. Default: by the axes and buttons that the kernel reports; one whose layout is unknown drives nothing without this key.',
    })
    .optional(),
  axisRange: z
    .tuple([z.number().int(), z.number().int()])
    .refine(([min, max]) => max - min > 1, 'must begin with the least')
    .meta({
      description:
        'Range of its stick values, as `evtest` shows it: for a device that is read by evdev (`/dev/input/event*`) and whose driver does not report it.',
    })
    .optional(),
  ...motionKeys,
});

const spacemouse = z.strictObject({
  kind: z.literal('spacemouse').meta({ description: 'A six-axis mouse of 3Dconnexion: `spacemouse`.' }),
  device: device('one'),
  enabling: z
    .enum(['latch', 'hold'])
    .meta({
      description:
        'What the left button does: `latch` takes over and gives back, press by press; `hold` lets motion pass while it is held.',
    })
    .default('latch'),
  ...motionKeys,
});

const pedalRoles = {
  enable: key('enables the other devices of the list while it is held'),
  recover: key('marks, while it is held, motion by the other devices as recovery'),
  stop: key('stops the robot'),
  success: key('marks a success'),
  failure: key('marks a failure'),
  giveBack: key('gives back to the policy'),
  rewind: key('lets the robot go back the way it came'),
  critical: key('begins the critical phase (`phaseSwitch` of a task)'),
};

const pedal = z
  .strictObject({
    kind: z.literal('pedal').meta({ description: 'A foot pedal, which Linux takes for a keyboard: `pedal`.' }),
    device: device('one with such a name'),
    ...pedalRoles,
  })
  .superRefine((config, context) => {
    const keys = pedalKeysOf(config);
    const message = `does nothing: give it a key, ${Object.keys(pedalRoles).join(', ')} or several`;
    if (keys.length === 0) context.addIssue({ code: 'custom', message });
    for (const [i, [role, key]] of keys.entries()) {
      const [first] = keys.find(([, other], k) => k < i && other === key) ?? [];
      const taken = `is ${key}, which ${first} is already: one key has one role`;
      if (first !== undefined) context.addIssue({ code: 'custom', path: [role], message: taken });
    }
  });

/** Returns the roles of a pedal, each with its key. */
export function pedalKeysOf(
  config: { readonly [R in PedalRole]?: string | undefined },
): [role: PedalRole, key: string][] {
  const roles = Object.keys(pedalRoles) as PedalRole[];
  return roles.flatMap((role) => {
    const key = config[role];
    return key === undefined ? [] : [[role, key]];
  });
}

const leader = z.strictObject({
  kind: z.literal('leader').meta({ description: 'A second arm in the hand of a person: `leader`.' }),
  robot: z
    .string()
    .min(1)
    .max(4096)
    .meta({ description: 'File of the leader arm, in `config/robots/` or a path relative to this file.' }),
  joints: z
    .record(z.string(), z.string())
    .meta({
      description:
        "Joint of the leader for each dimension of a joint action, where its name is another one. For cartesian actions the leader's own tool counts.",
    })
    .default({}),
  clutch: z
    .strictObject({
      joint: name("The leader's joint that is squeezed."),
      closedAboveRad: num('rad', { min: -10, max: 10 }, 'Beyond this the clutch is closed.'),
    })
    .meta({ description: 'A joint as clutch. Absent: a pedal with an `enable` key is.' })
    .optional(),
  scale: num(
    '1',
    { above: 0, max: 5 },
    'How much of what the leader moves its tool the robot moves: 0.5 is half of it. Joints that do not carry the tool, such as a gripper, follow whole.',
  ).default(1),
  rampPerS: num(
    'rad/s',
    { above: 0, max: 1 },
    "Brings the robot to the leader's own pose so fast once the clutch is closed; joint actions only. Absent: the difference stays.",
  ).optional(),
  alongside: z
    .strictObject({
      torqueRatio: num('1', { above: 0, max: 0.5 }, "Share of its joints' torque.").default(0.2),
      speedRatio: num('1', { above: 0, max: 0.5 }, "Share of its joints' speed.").default(0.2),
    })
    .meta({
      description:
        'Its motors go along with the robot while no person drives, so that both have the same pose at a take-over. Absent: it is passive.',
    })
    .optional(),
});

/** Schema of one device. */
export const operatorSchema = z
  .discriminatedUnion('kind', [keyboard, gamepad, spacemouse, pedal, leader])
  .meta({ description: 'A device by which a person takes over.' });

export type OperatorConfig = Configured<typeof operatorSchema>;
/** Options common to pads and mice. */
export type MotionOptions = Pick<
  Extract<OperatorConfig, { kind: 'gamepad' }>,
  'deadzone' | 'speed' | 'frame' | 'cameraRpyRad'
>;

/** Returns a device that is configured by its kind alone. */
export function plainOperator(kind: 'keyboard' | 'gamepad' | 'spacemouse'): OperatorConfig {
  return operatorSchema.parse({ kind });
}
