/** Name of the robot file in commands, for the remedies of drivers. */
import { z } from 'zod';

/** Set by `DriverKind.withPaths`. */
export const namedField = z
  .string()
  .min(1)
  .max(4096)
  .meta({ description: 'Not to be written: name of this file in commands (`--robot`), filled in when it is read.' })
  .optional();
