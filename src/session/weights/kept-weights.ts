/** Remembers the origin of the weights in use, so that they can be saved as a self-contained file, and keeps them on disk. */
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RunSetup } from '../../config/setup.ts';
import { type PolicyWeights, ReinError } from '../../model/index.ts';
import { readPolicyManifest, savePolicyFile } from '../../policy/index.ts';
import { saveWeights } from '../weights-file.ts';
import type { WeightsDisk } from './weights-disk.ts';

/** Number of versions remembered: the weights in use, and those before them that can act again. */
const KEPT = 5;
const POLICY_FILE = 'policy.onnx';

export class KeptWeights {
  readonly #setup: RunSetup;
  readonly #disk: WeightsDisk | undefined;
  readonly #sources = new Map<number, PolicyWeights | string>();

  /** `file`: policy file with which the session began. `disk`: store for later starts; absent without a learner. */
  constructor(
    setup: RunSetup,
    file: { readonly path: string; readonly version: number } | undefined,
    disk: WeightsDisk | undefined,
  ) {
    this.#setup = setup;
    this.#disk = disk;
    if (file !== undefined) this.#sources.set(file.version, file.path);
  }

  /** Called when weights have begun to act. */
  remember(weights: PolicyWeights): void {
    this.#sources.set(weights.manifest.version, weights);
    for (const version of [...this.#sources.keys()].slice(0, -KEPT)) this.#sources.delete(version);
    this.#disk?.keep(weights);
  }

  /** Ensures that no later start acts on weights `version`. */
  giveUp(version: number): void {
    this.#disk?.giveUp(version);
  }

  /**
   * Writes weights `version` as `policy.onnx` and `policy.json` into the folder `path` (or the folder of the `policy.onnx` that it names).
   * Returns the file's path. Throws `ReinError` if that cannot be done.
   */
  async save(version: number, path: string): Promise<string> {
    const source = this.#sources.get(version);
    if (source === undefined) throw new ReinError('policy', 'There are no weights to save.');
    const folder = folderOf(path);
    if (typeof source === 'string') return copyPolicy(source, folder);
    return saveWeights(this.#setup, source, folder);
  }
}

function folderOf(path: string): string {
  if (!path.endsWith('.onnx')) return path;
  if (basename(path) === POLICY_FILE) return dirname(path);
  throw new ReinError(
    'storage',
    `${basename(path)} is no folder: a policy is two files, policy.onnx and policy.json.`,
    {
      remedy: 'Give the folder for the two files.',
    },
  );
}

async function copyPolicy(from: string, folder: string): Promise<string> {
  const { digest: _, ...manifest } = await readPolicyManifest(from);
  const isFolder = (await stat(from)).isDirectory();
  return savePolicyFile(folder, await readFile(isFolder ? join(from, POLICY_FILE) : from), manifest);
}
