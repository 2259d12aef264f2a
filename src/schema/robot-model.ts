/** Schema of a robot model, in a robot file and in a guard's configuration: an arm joint by joint, a mobile base by its limits. */
import { z } from 'zod';
import type { BaseModel } from '../model/index.ts';
import { agreed, mayDiffer } from './agreement.ts';
import { box, name, num, triple } from './fields.ts';
import {
  collisionSchema,
  contactSchema,
  fenceSchema,
  pointsSchema,
  powerRelaySchema,
  separationSchema,
  tankSchema,
  torqueObserverSchema,
} from './robot-parts.ts';

/** Limits of one joint. For a prismatic joint read m for rad and N for N·m. */
export const jointLimits = z.strictObject({
  positionMinRad: num('rad', { min: -31.5, max: 31.5 }, 'Lowest position, of the hardware.'),
  positionMaxRad: num('rad', { min: -31.5, max: 31.5 }, 'Highest position, of the hardware.'),
  velocityMaxRadPerS: num('rad/s', { above: 0, max: 50 }, 'Highest speed of the reference.'),
  accelMaxRadPerS2: num('rad/s²', { above: 0, max: 1000 }, 'Highest acceleration of the reference, braking included.'),
  jerkMaxRadPerS3: num(
    'rad/s³',
    { above: 0, max: 1e6 },
    'How fast the acceleration may grow while a command is followed; falling back and braking are free. Absent: no limit.',
  ).optional(),
  torqueMaxNm: num('N·m', { above: 0, max: 2000 }, 'Torque at which the servo saturates.'),
  stiffnessNmPerRad: num('N·m/rad', { above: 0, max: 1e6 }, 'Torque per position error at rest.'),
  dampingNmSPerRad: num('N·m·s/rad', { min: 0, max: 1e5 }, 'Torque per speed.'),
  encoderNoiseRad: mayDiffer(
    num(
      'rad',
      { above: 0, max: 0.1 },
      'Largest error of a position reading, noise and quantisation together (peak). An energy tank needs it.',
    ).optional(),
  ),
  dryFrictionNm: num(
    'N·m',
    { min: 0, max: 2000 },
    'Dry friction at the output, which a servo first has to overcome: a reading that stands still in it is not frozen (row 14). 0 where absent.',
  ).optional(),
  limitMarginRad: num(
    'rad',
    { min: 0, max: 0.5 },
    "Distance kept from both of the joint's position limits; the robot's limitMarginRad where absent. A finger has no room for what an arm needs.",
  ).optional(),
});

const joint = z.strictObject({
  name: name('Unique among the joints.'),
  kind: z
    .enum(['revolute', 'prismatic'])
    .meta({
      description:
        '`prismatic` slides along its axis: read m for rad and N for N·m in all that follows. `revolute` where absent.',
    })
    .optional(),
  parent: name(
    'Joint whose link carries this one, or `base`; it comes earlier in the list. The joint before this one where absent, `base` for the first.',
  ).optional(),
  originXyzM: triple('m', "Position of the joint frame in the parent link's frame."),
  originRpyRad: triple(
    'rad',
    "Orientation of the joint frame in the parent link's frame: fixed-axis roll, pitch, yaw.",
  ),
  axis: triple('1', 'Unit axis of rotation in the joint frame.'),
  ...jointLimits.shape,
});

export const armModel = z.strictObject({
  name: agreed(name('Name of the robot model; run folders and policy files carry it.')),
  joints: agreed(z.array(joint).min(1).max(16).meta({ description: 'Joints from the base to the tool.' })),
  tool: agreed(
    z
      .strictObject({
        originXyzM: triple('m', "Tool point (TCP) in the last link's frame."),
        originRpyRad: triple('rad', "Orientation of the tool in the last link's frame: fixed-axis roll, pitch, yaw."),
        link: name('Joint whose link carries the tool; the last joint where absent.').optional(),
      })
      .meta({ description: 'Where the tool point is.' }),
  ),
  workspace: agreed(box('Box in the base frame that the tool point must stay in.')),
  points: agreed(pointsSchema.optional()),
  collision: collisionSchema.optional(),
  tank: tankSchema.optional(),
  contact: agreed(contactSchema.optional()),
  toolSpeedMaxMPerS: num(
    'm/s',
    { above: 0, max: 20 },
    "Highest speed of the tool point, of `points`, and of both ends of each capsule; only the joints' speeds limit them where absent.",
  ).optional(),
  reducedSpeedMPerS: num(
    'm/s',
    { above: 0, max: 1 },
    'The same at reduced speed, in which `rein teleop` and the first steps of `rein bring-up` move the arm; 0.25 where absent.',
  ).optional(),
  separation: separationSchema.optional(),
  powerRelay: powerRelaySchema.optional(),
  payloadMaxKg: num(
    'kg',
    { min: 0, max: 1000 },
    'Heaviest load that the tool is meant to carry; `rein safety check` adds up to this, unknown to its chain.',
  ).optional(),
  torqueObserver: torqueObserverSchema.optional(),
  gravityCompensated: z
    .boolean()
    .meta({
      description:
        "Whether the controller or a balance holds the links' weight; true where absent. Where not, as with hobby servos, position errors do: the arm stands off by weight / stiffness, and is simulated so.",
    })
    .optional(),
  holdsWithoutTorque: z
    .boolean()
    .meta({
      description:
        'Whether brakes, gears or balance hold the arm up without torque; true where absent. Where not, torque goes off as a ramp at the end of the brake (`exitRampS`). Means nothing to a `ros` driver, which takes no torque off.',
    })
    .optional(),
  exitRampS: num(
    's',
    { above: 0, max: 120 },
    'How long torque takes to go off under an arm that does not hold itself up: time to support it, or for it to sink onto its rest. Torque falls evenly where the driver can limit it, else it holds until the time is over.',
  ).optional(),
  controlHz: agreed(num('Hz', { min: 10, max: 1000 }, 'Guard ticks per second.')),
  limitMarginRad: agreed(
    num('rad', { min: 0, max: 0.5 }, 'Distance kept from every position limit; a joint may have its own.'),
  ),
  leashM: agreed(num('m', { above: 0, max: 0.2 }, 'How far the reference may lead the measured tool point.')),
  leashRad: agreed(num('rad', { above: 0, max: 1 }, 'The same for orientation.')),
  homeRad: agreed(
    z.array(z.number()).min(1).max(16).meta({
      unit: 'rad',
      description: 'A pose in the middle of the workspace with the tool pointing down, one number a joint.',
    }),
  ),
});

const base = z.strictObject({
  kind: z
    .enum(['differential', 'holonomic', 'ackermann'])
    .meta({ description: 'How it moves: two driven wheels, every direction, or steered like a car.' }),
  speedMaxMPerS: num('m/s', { above: 0, max: 20 }, 'Highest speed; a holonomic base also sideways.'),
  accelMaxMPerS2: num('m/s²', { above: 0, max: 50 }, 'Highest acceleration, braking included.'),
  turnMaxRadPerS: num('rad/s', { above: 0, max: 20 }, 'Differential, holonomic: fastest turn.').optional(),
  turnAccelMaxRadPerS2: num('rad/s²', { above: 0, max: 200 }, 'Differential, holonomic: of the turn.').optional(),
  steeringMaxRad: num('rad', { above: 0.01, max: 1.5 }, 'Ackermann: largest steering angle.').optional(),
  steeringRateMaxRadPerS: num('rad/s', { above: 0, max: 50 }, 'Ackermann: how fast the wheels steer.').optional(),
  steeringAccelMaxRadPerS2: num('rad/s²', { above: 0, max: 1000 }, 'Ackermann: of the steering.').optional(),
  wheelbaseM: num('m', { above: 0, max: 10 }, 'Ackermann: distance of the axles.').optional(),
  fence: fenceSchema.optional(),
});

export const baseModel = z.strictObject({
  name: agreed(name('Name of the robot model; run folders and policy files carry it.')),
  base: agreed(base.meta({ description: 'What it is and how fast it may move.' })),
  controlHz: agreed(num('Hz', { min: 10, max: 1000 }, 'Guard ticks per second.')),
});

/** Required keys for each kind of base. */
export const BASE_NEEDS: Readonly<Record<BaseModel['kind'], readonly Exclude<keyof BaseModel, 'kind' | 'fence'>[]>> = {
  differential: ['turnMaxRadPerS', 'turnAccelMaxRadPerS2'],
  holonomic: ['turnMaxRadPerS', 'turnAccelMaxRadPerS2'],
  ackermann: ['steeringMaxRad', 'steeringRateMaxRadPerS', 'steeringAccelMaxRadPerS2', 'wheelbaseM'],
};
