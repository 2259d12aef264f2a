/** What commands call the robot of a file: drivers name it in their remedies. */
import { z } from 'zod';

/** Filled in by `DriverKind.withPaths`. */
export const namedField = z
  .string()
  .min(1)
  .max(4096)
  .meta({ description: 'Not to be written: what commands call this file (`--robot`), filled in when it is read.' })
  .optional();
