/** Parts of a robot file used by the later stages of the safety chain: points, shapes, tank, contact forces. */
import { z } from 'zod';
import {
  type Capsule,
  type CollisionModel,
  type ContactModel,
  type Fence,
  type KeepOutBox,
  LINK_PARAMETERS,
  type LinkPoint,
  type PowerRelay,
  type SeparationModel,
  type TankModel,
  type TorqueObserverModel,
} from '../model/index.ts';
import { box, name, num, triple, whole } from './fields.ts';

const link = name('Name of the joint whose link it belongs to, or `base`.');

const points = z
  .array(
    z.strictObject({
      name: name('For messages; unique among the points.'),
      link: name('Name of the joint that moves the link.'),
      positionM: triple('m', "In the link's frame, the joint's, turned with it."),
      workspace: box("Box in the base frame that it stays in; the robot's workspace where absent.").optional(),
    }),
  )
  .max(16)
  .meta({ description: 'Points that stay in a box, beside the tool point: an elbow, corners of the tool.' });

const capsule = z.strictObject({
  name: name('Unique among the capsules.'),
  link,
  fromM: triple('m', "One end of the axis in the link's frame."),
  toM: triple('m', 'The other end; the same for a sphere.'),
  radiusM: num('m', { above: 0, max: 2 }, 'All of the link lies within this distance of the axes of its capsules.'),
});

const keepOutBox = z.strictObject({
  name: name('For messages; unique among the boxes.'),
  minM: triple('m', 'Lowest corner, base frame.'),
  maxM: triple('m', 'Highest corner.'),
  capsules: z
    .array(z.string())
    .min(1)
    .max(16)
    .meta({ description: 'Capsules that stay out of it; all but those on `base` where absent.' })
    .optional(),
});

const collision = z
  .strictObject({
    capsules: z.array(capsule).min(1).max(16).meta({ description: 'Shapes of the links, as rounded rods.' }),
    pairs: z
      .array(z.tuple([z.string(), z.string()]))
      .max(32)
      .meta({ description: 'Pairs of capsules that are kept apart, by name.' }),
    keepOut: z
      .array(keepOutBox)
      .max(8)
      .meta({ description: 'Boxes that the capsules stay out of: a table, a wall, a camera.' })
      .optional(),
    clearanceM: num('m', { min: 0, max: 0.2 }, 'Distance kept within pairs, and from keep-out boxes.'),
  })
  .meta({ description: 'What must not touch what. Absent: only the workspace and the joint limits are kept.' });

const tank = z
  .strictObject({
    port: z
      .literal('joint')
      .meta({ description: 'Springs between the joints and their set-points: all that there are. May be left out.' })
      .optional(),
    startJ: num('J', { min: 0, max: 10_000 }, 'Content when the robot is enabled.'),
    minJ: num('J', { min: 0, max: 10_000 }, 'Content at which nothing more is paid.'),
    maxJ: num('J', { above: 0, max: 10_000 }, 'What it holds at most.'),
    powerMaxW: num('W', { above: 0, max: 10_000 }, 'Most power that a command may put in; braking is exempt.'),
    recovery: num('1', { min: 0, below: 1 }, 'Share of the energy that the dampers provably took out that comes back.'),
    topUpW: num('W', { min: 0, max: 100 }, 'Refill while the robot stands with no command.').default(0),
    velocityFeedForward: z.boolean().meta({
      description:
        'Whether the servos lead the set-point by velocity × damping / stiffness, as industrial ones do. `rein safety identify` measures it.',
    }),
    delayTicks: whole('ticks', { min: 0, max: 10 }, 'Most ticks until the servos follow a reference.').default(0),
  })
  .meta({
    description:
      "Energy tank: what commands may put into the robot beyond what its dampers took out. Needs each joint's true stiffness, damping and torque. Absent: no tank.",
  });

const contact = z
  .strictObject({
    forceMaxN: num('N', { above: 0, max: 10_000 }, 'Along any axis.'),
    torqueMaxNm: num('N·m', { above: 0, max: 2000 }, 'About any axis.'),
  })
  .meta({ description: 'What the tool may press with before the robot stops. Absent: forces are not watched.' });

const relayPath = z
  .string()
  .min(1)
  .max(4096)
  .meta({ description: "Absolute path of the line's value, or of the serial port." });
const hex = (what: string): z.ZodString =>
  z
    .string()
    .regex(/^(?:[0-9a-fA-F]{2}){1,64}$/)
    .meta({ description: `Bytes that ${what} it, as hexadecimal digits.` });
const line = (what: string): z.ZodString =>
  z
    .string()
    .min(1)
    .max(64)
    .meta({ description: `Text that ${what} it; it is read back.` });

const powerRelay = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z
        .literal('file')
        .meta({ description: '`file`: a line whose value is a file, such as a GPIO line of sysfs.' }),
      path: relayPath,
      closed: line('closes').default('1'),
      open: line('opens').default('0'),
    }),
    z.strictObject({
      kind: z
        .literal('serial')
        .meta({ description: '`serial`: a relay board at a serial port that only takes bytes.' }),
      path: relayPath,
      closed: hex('close'),
      open: hex('open'),
    }),
  ])
  .meta({
    description:
      "A relay that carries the power of the actuators, for robots on a bus of their own: the guardian closes it when torque comes on, and opens it when torque is off, and when the guard is dead or silent. The servos' logic needs power of its own. Absent: none.",
  });

/** A measured stop. */
const stopFigures = z.strictObject({
  speedMPerS: num('m/s', { above: 0, max: 20 }, 'Speed of the fastest monitored point when the stop began.'),
  timeS: num('s', { min: 0, max: 60 }, 'Until the arm stood.'),
  distanceM: num('m', { min: 0, max: 20 }, 'How far a monitored point went meanwhile.'),
});

const separation = z
  .strictObject({
    humanSpeedMPerS: num('m/s', { min: 0, max: 10 }, 'How fast a person comes; ISO 13855 has 1.6 for walking.').default(
      1.6,
    ),
    reactionS: num(
      's',
      { above: 0, max: 5 },
      "From a person's motion to the beginning of the brake: the sensor's own time, its line, and two ticks.",
    ),
    intrusionM: num(
      'm',
      { min: 0, max: 5 },
      'How far a part of the body can reach in before the sensor sees it (C of ISO 13855).',
    ),
    uncertaintyM: num('m', { min: 0, max: 5 }, 'By how much the positions of person and arm may be wrong together.'),
    freshnessMs: num('ms', { min: 1, max: 1000 }, 'A distance that is older counts as a person at the arm.').default(
      100,
    ),
    stops: z
      .array(stopFigures)
      .min(1)
      .max(32)
      .meta({
        description:
          "Stops from several speeds, with the worst load. Absent: those that `rein bring-up --stops` has measured, else computed from the joints' limits and lag.",
      })
      .optional(),
  })
  .meta({
    description:
      'Speed and separation: the speed of the arm for the distance that its driver reports, by S = v_h·(T_r + T_s) + v_r·T_r + S_s + C + Z (ISO/TS 15066). Needs `toolSpeedMaxMPerS`. Absent: the distance of people is not monitored.',
  });

const limitsNm = (description: string): z.ZodArray<z.ZodNumber> =>
  z.array(z.number().positive().max(10_000)).min(1).max(16).meta({ unit: 'N·m', description });

const torqueObserver = z
  .strictObject({
    filterS: num(
      's',
      { min: 0.005, max: 1 },
      "Time constant of the residuals; that of the force sensor's own filter where there is one.",
    ),
    weight: z
      .enum(['measured', 'compensated'])
      .meta({ description: "Whether the measured torques include the links' weight, or it is compensated elsewhere." }),
    wrench: z.enum(['mean', 'subtracted', 'ignored']).meta({
      description:
        "The reading of the tool's force sensor is subtracted from the residuals. `mean`: the driver reports its mean over the control period (the simulated wrist does). `subtracted`: it reports samples, and as much again is allowed. `ignored`: there is no sensor.",
    }),
    velocityFeedForward: z
      .boolean()
      .meta({ description: 'The servos lead the set-point by velocity × damping / stiffness.' }),
    delayTicks: whole('ticks', { min: 0, max: 10 }, 'Ticks until the servos follow a reference.'),
    torqueAgeS: num('s', { min: 0, max: 0.1 }, 'How much older the measured torque is than the position.'),
    servoMaxNm: limitsNm("Most that a torque may differ from the servo's law, one number a joint."),
    externalMaxNm: limitsNm('Most that the surroundings may exert on a joint, one number a joint.'),
    links: z
      .array(z.array(z.number().min(-1e5).max(1e5)).length(LINK_PARAMETERS))
      .min(1)
      .max(16)
      .meta({
        unit: 'kg, kg·m, kg·m², N·m·s/rad, N·m',
        description:
          'For each joint and its link: mass; mass × centre of mass x, y, z; inertia xx, xy, xz, yy, yz, zz about the frame; rotor inertia; viscous friction; dry friction; offset of the torque.',
      }),
  })
  .meta({
    description:
      "What the joints' measured torques are compared with (row 54), as `rein safety identify` writes it. Arms only. Absent: torques are not watched.",
  });

const fence = z
  .strictObject({
    minM: pair('m', 'Lowest corner: x, y.'),
    maxM: pair('m', 'Highest corner: x, y.'),
    radiusM: num('m', { min: 0, max: 10 }, 'All of the base lies within this distance of its origin.'),
  })
  .meta({
    description: 'Rectangle that the base stays in, in the frame in which it stood when the guard first saw it.',
  });

function pair(unit: string, description: string): z.ZodTuple<[z.ZodNumber, z.ZodNumber], null> {
  return z.tuple([z.number(), z.number()]).meta({ unit, description });
}

export const pointsSchema: z.ZodType<readonly LinkPoint[]> = points;
export const capsuleSchema: z.ZodType<Capsule> = capsule;
export const keepOutSchema: z.ZodType<KeepOutBox> = keepOutBox;
export const collisionSchema: z.ZodType<CollisionModel> = collision;
export const tankSchema: z.ZodType<TankModel> = tank;
export const contactSchema: z.ZodType<ContactModel> = contact;
export const powerRelaySchema: z.ZodType<PowerRelay> = powerRelay;
export const separationSchema: z.ZodType<SeparationModel> = separation;
export const torqueObserverSchema: z.ZodType<TorqueObserverModel> = torqueObserver;
export const fenceSchema: z.ZodType<Fence> = fence;
