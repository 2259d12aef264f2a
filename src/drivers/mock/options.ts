/** Mock driver options: those of a robot file, and further ones for tests. */
import { z } from 'zod';
import { type Configured, num } from '../../schema/index.ts';
import { MOCK_FAULTS } from './mock-faults.ts';

const fields = {
  busPath: z
    .string()
    .min(1)
    .max(4096)
    .meta({
      description:
        'A named pipe or one end of a pseudo-terminal, where every reference is written as a frame, and where the guardian stops the robot. Another program has to read it.',
    })
    .optional(),
  torqueNm: z
    .array(z.number().min(-1e6).max(1e6))
    .min(1)
    .max(32)
    .meta({
      unit: 'N·m',
      description: 'Torques that it reports, joint by joint, whatever it does. Absent: it measures none.',
    })
    .optional(),
  distanceM: num(
    'm',
    { min: 0, max: 100 },
    'Distance of a person that it reports. Absent: it measures none.',
  ).optional(),
  needsFirstMotion: z
    .boolean()
    .meta({
      description:
        'First-motion check, as for servos with a calibration: after each start every joint is moved a little, and has to follow, before any other motion. Absent: no.',
    })
    .optional(),
};

export const mockSchema = z.strictObject({
  kind: z.literal('mock').meta({
    description: 'What drives the robot: `mock`, joints that follow their reference and nothing around them.',
  }),
  ...fields,
});

export const mockOptions = z.strictObject({
  ...fields,
  // Counts `busCounters` without a bus.
  countsBus: z.boolean().optional(),
  // Further signals, whose values `resetScene` sets.
  signalNames: z.array(z.string()).optional(),
  // Joint positions at the start, rad; default: the model's home pose.
  startRad: z.array(z.number()).optional(),
  // Random faults, each with its probability per call.
  faults: z
    .strictObject({ seed: z.number(), ratio: z.partialRecord(z.enum(MOCK_FAULTS), z.number().min(0).max(1)) })
    .optional(),
});

export type MockDriverOptions = Configured<typeof mockOptions>;
