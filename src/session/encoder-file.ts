/** The frozen encoder that a run's learner names, for robots: policies come from the learner without it. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { RunSetup } from '../config/setup.ts';
import { ReinError, sha256Hex } from '../core/index.ts';
import { encoderPorts } from '../learner/image-port.ts';
import type { EncoderFile } from '../policy/index.ts';

/**
 * Reads the file that `setup` names; nothing where it names none. Part of the options of a policy. Throws `ReinError` ('config')
 * where there is no such file, or it is none for the task's image.
 */
export function encoderFor({ config, parts }: RunSetup): { readonly encoder?: EncoderFile } {
  const { frozen } = config.learner.encoder;
  if (frozen === undefined) return {};
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(frozen.file);
  } catch (cause) {
    throw new ReinError('config', `The encoder ${frozen.file} cannot be read.`, {
      remedy: 'Copy it there: robots look through the same encoder as their learner.',
      cause,
    });
  }
  const digest = sha256Hex(bytes);
  return { encoder: { file: basename(frozen.file), bytes, digest, ...encoderPorts(frozen, bytes, parts) } };
}
