/** A limits file: properties of a robot that an MJCF or URDF lacks, and limits tighter than the model's. */
import { z } from 'zod';
import { START_NEAR_M } from '../../safety/index.ts';
import {
  box,
  type Configured,
  capsuleSchema,
  contactSchema,
  jointLimits,
  keepOutSchema,
  name,
  num,
  pointsSchema,
  tankSchema,
  triple,
} from '../../schema/index.ts';

const joint = jointLimits.partial();

const path = (description: string): z.ZodString => z.string().min(1).max(4096).meta({ description });

const tool = z.strictObject({
  frame: path('A site or a body (a URDF link) of the model.').optional(),
  link: path('Instead of a frame: the joint whose link carries the tool.').optional(),
  originXyzM: triple('m', "Tool point in the link's frame, or in `frame`.").optional(),
  originRpyRad: triple('rad', "Orientation of the tool in the link's frame, or in `frame`.").optional(),
});

const collision = z.strictObject({
  capsules: z
    .array(capsuleSchema)
    .min(1)
    .max(16)
    .meta({ description: "Shapes of the links; made from the model's shapes where absent." })
    .optional(),
  pairs: z
    .array(z.tuple([z.string(), z.string()]))
    .max(32)
    .meta({ description: 'Pairs that are kept apart; chosen among those that are clear at home where absent.' })
    .optional(),
  keepOut: z.array(keepOutSchema).max(8).meta({ description: 'Boxes that the capsules stay out of.' }).optional(),
  clearanceM: num('m', { min: 0, max: 0.2 }, 'Distance kept within pairs, and from keep-out boxes.').default(0.01),
});

export const limitsSchema = z
  .strictObject({
    name: name("Name of the robot; the model's where absent.").optional(),
    model: path('MJCF or URDF, relative to this file.').optional(),
    limits: path('A ROS `joint_limits.yaml`, relative to this file.').optional(),
    fixed: z
      .array(z.string())
      .max(64)
      .meta({ description: "Joints of the model that stand still where the file has them, such as a gripper's." })
      .default([]),
    defaults: joint.meta({ description: 'For joints for which neither file gives a value.' }).default({}),
    joints: z
      .record(z.string(), joint)
      .meta({
        description:
          "By the model's name of the joint; these take precedence, but no range may be wider than the model's.",
      })
      .default({}),
    tool: tool.meta({ description: 'Where the tool point is; at the end of the last link where absent.' }).optional(),
    workspace: box('Box that the tool point stays in; as far as the arm reaches where absent.').optional(),
    points: pointsSchema.optional(),
    collision: collision.meta({ description: 'What must not touch what.' }).default({ clearanceM: 0.01 }),
    tank: tankSchema.optional(),
    contact: contactSchema.optional(),
    payloadMaxKg: num('kg', { min: 0, max: 1000 }, 'Heaviest load that the tool is meant to carry.').optional(),
    controlHz: num('Hz', { min: 10, max: 1000 }, 'Guard ticks per second.').default(100),
    limitMarginRad: num(
      'rad',
      { min: 0, max: 0.5 },
      'Distance kept from every position limit; a joint may have its own. Where absent 0.02, but of each joint not more than 5 % of its range.',
    ).optional(),
    leashM: num(
      'm',
      { above: 0, max: 0.2 },
      'How far the reference may lead the measured tool point; the default is as far as a first target may be from it.',
    ).default(START_NEAR_M),
    leashRad: num('rad', { above: 0, max: 1 }, 'The same for orientation.').default(0.2),
    homeRad: z
      .array(z.number())
      .min(1)
      .max(16)
      .meta({
        unit: 'rad',
        description: "Where tests start, a number a joint; the model's key frame `home`, else 0, where absent.",
      })
      .optional(),
  })
  .meta({
    title: 'Limits of a model',
    description:
      'For `rein safety check`: an MJCF or URDF, a ROS `joint_limits.yaml`, and what neither gives. Where several give a limit, this file takes precedence, then the ROS file, then the model; no file may widen what the model allows. For a joint that slides read m for rad, N for N·m, N/m for N·m/rad and N·s/m for N·m·s/rad, in the names of keys too.',
  });

/** Limits of one joint, named as in robot files; absent ones come from the ROS file or the model. */
export type JointLimits = Configured<typeof joint>;
export type LimitsConfig = Configured<typeof limitsSchema>;
