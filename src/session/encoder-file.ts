/** The frozen encoder named by a run's learner, for robots: policies arrive from the learner without it. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { RunSetup } from '../config/setup.ts';
import { encoderPorts } from '../learner/image-port.ts';
import { ReinError, sha256Hex } from '../model/index.ts';
import type { EncoderFile } from '../policy/index.ts';

/**
 * Reads the encoder file that `setup` names, as part of a policy's options; empty if it names none. Throws `ReinError('config')` if the
 * file does not exist, or does not fit the task's image.
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
