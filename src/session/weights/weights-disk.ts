/**
 * The last weights of a learner's run in the robot's folder, so that a robot that starts while its learner is away acts on them, and the
 * highest version ever accepted, so that older ones cannot be replayed to a robot that restarts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '../../host/index.ts';
import { decodeBundle, encodeBundle } from '../../link/index.ts';
import { isCount, type PolicyWeights, parseObject, verifyWeights } from '../../model/index.ts';
import type { ActingPolicy } from '../../policy/index.ts';

/** Folder inside the run's folder. */
export const WEIGHTS_FOLDER = 'weights';
/** File with the learner's run that the folder has joined, and the highest version accepted. */
const MARK = 'learner.json';
const SUFFIX = '.weights';
/** Number of versions kept on disk. */
const KEPT = 3;

interface Mark {
  readonly runId: string;
  readonly highestVersion: number;
  /** Accepted, and given up for good; 0 for none. */
  readonly givenUpVersion: number;
}

export interface WeightsDiskOptions {
  /** The run's folder. */
  readonly folder: string;
  readonly runId: string;
  readonly schemaHash: string;
  /** Called for files that are not used, and for weights that could not be kept. One sentence. */
  readonly onFault: (message: string) => void;
}

/** The learner's run that the robot of `folder` has joined before; `undefined` if it has joined none. */
export function joinedRun(folder: string): string | undefined {
  const mark = readMark(folder);
  return typeof mark === 'object' ? mark.runId : undefined;
}

export class WeightsDisk {
  readonly #options: WeightsDiskOptions;
  readonly #dir: string;
  #highest = 0;
  #givenUp = 0;
  #loaded = 0;
  #waiting: PolicyWeights | undefined;
  #writing: Promise<void> | undefined;
  #isDue = false;
  #isTroubled = false;

  constructor(options: WeightsDiskOptions) {
    this.#options = options;
    this.#dir = join(options.folder, WEIGHTS_FOLDER);
  }

  /** Only weights above this version are accepted. If the newest file was damaged, its version is accepted once more, but none older. */
  get after(): number {
    const leastTaken = this.#loaded === this.#highest ? this.#highest : this.#highest - 1;
    return Math.max(leastTaken, this.#givenUp);
  }

  /** Records the run, and loads the newest intact weights into `policy`. Returns them, or `undefined`. Never rejects. */
  async load(policy: Pick<ActingPolicy, 'swap'>): Promise<PolicyWeights | undefined> {
    const { folder, runId, onFault } = this.#options;
    const mark = readMark(folder);
    if (mark === 'damaged') onFault(`${join(this.#dir, MARK)} is damaged: the newest weights are taken by file name.`);
    // File names count too: if the mark is damaged, they still show which versions there were.
    const versions = this.#versions();
    if (typeof mark === 'object' && mark.runId === runId) {
      this.#highest = mark.highestVersion;
      this.#givenUp = mark.givenUpVersion;
    } else if (mark === 'damaged') this.#highest = versions[0] ?? 0;
    const found = await this.#newestWhole(policy, versions);
    this.#loaded = found?.manifest.version ?? 0;
    this.#highest = Math.max(this.#highest, this.#loaded);
    await this.#try(() => this.#writeMark());
    return found;
  }

  /** Writes the weights in use in the background; if they come faster than the disk takes them, only the newest. Never throws. */
  keep(bundle: PolicyWeights): void {
    this.#highest = Math.max(this.#highest, bundle.manifest.version);
    this.#waiting = bundle;
    this.#begin();
  }

  /** Called when these weights were given up: no later start acts on them. */
  giveUp(version: number): void {
    if (version <= this.#givenUp || version > this.#highest) return; // of a policy file
    this.#givenUp = version;
    if (this.#waiting?.manifest.version === version) this.#waiting = undefined;
    this.#begin();
  }

  /** Resolves when all weights kept are on disk. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #newestWhole(
    policy: Pick<ActingPolicy, 'swap'>,
    versions: readonly number[],
  ): Promise<PolicyWeights | undefined> {
    for (const version of versions) {
      const read = this.#read(version);
      if (typeof read === 'object') {
        const swapped = await policy.swap(read);
        if (swapped.ok) return read;
        this.#refuse(version, swapped.error.message);
      } else this.#refuse(version, read);
    }
    return undefined;
  }

  #refuse(version: number, why: string): void {
    this.#options.onFault(`The weights ${version} on the disk (${this.#path(version)}) are not used: ${why}.`);
  }

  /** The weights of that file, or the reason why they are not used. */
  #read(version: number): PolicyWeights | string {
    const { runId, schemaHash } = this.#options;
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(this.#path(version));
    } catch (error) {
      return `they cannot be read (${(error as Error).message})`;
    }
    const decoded = decodeBundle(bytes);
    if (!decoded.ok) return decoded.error.message;
    if (decoded.value.manifest.version !== version) return `they are of version ${decoded.value.manifest.version}`;
    const verified = verifyWeights(decoded.value, { runId, schemaHash, newestVersion: 0 });
    return verified.ok ? verified.value : verified.error.message;
  }

  #begin(): void {
    this.#isDue = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  async #write(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      const bundle = this.#waiting;
      this.#waiting = undefined;
      await this.#try(async () => {
        await this.#writeMark();
        if (bundle !== undefined) await replaceFile(this.#path(bundle.manifest.version), encodeBundle(bundle));
        await rm(this.#path(this.#givenUp), { force: true });
        for (const old of this.#versions().slice(KEPT)) await rm(this.#path(old), { force: true });
      });
    }
  }

  async #writeMark(): Promise<void> {
    const [highestVersion, givenUpVersion] = [this.#highest, this.#givenUp];
    const mark: Mark = { runId: this.#options.runId, highestVersion, givenUpVersion };
    makeFolder(this.#dir);
    await replaceFile(join(this.#dir, MARK), `${JSON.stringify(mark)}\n`);
  }

  /** A full disk stops nothing: the weights act all the same, and it is reported once. */
  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#isTroubled = false;
    } catch (error) {
      if (!this.#isTroubled) {
        this.#options.onFault(`Weights could not be kept in ${this.#dir}: ${(error as Error).message}.`);
      }
      this.#isTroubled = true;
    }
  }

  /** Newest first. */
  #versions(): number[] {
    if (!existsSync(this.#dir)) return [];
    return readdirSync(this.#dir)
      .filter((name) => /^\d+\.weights$/.test(name))
      .map((name) => Number(name.slice(0, -SUFFIX.length)))
      .sort((a, b) => b - a);
  }

  #path(version: number): string {
    return join(this.#dir, `${version}${SUFFIX}`);
  }
}

function readMark(folder: string): Mark | 'absent' | 'damaged' {
  let text: string;
  try {
    text = readFileSync(join(folder, WEIGHTS_FOLDER, MARK), 'utf8');
  } catch {
    return 'absent'; // no learner was joined yet
  }
  const { runId, highestVersion, givenUpVersion } = parseObject(text) ?? {};
  const isWhole = typeof runId === 'string' && isCount(highestVersion) && isCount(givenUpVersion);
  return isWhole ? { runId, highestVersion, givenUpVersion } : 'damaged';
}
