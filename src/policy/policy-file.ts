/**
 * `policy.onnx`, a network with its weights inside, and its manifest `policy.json`. Both are validated on load: any defect
 * is reported in one sentence, and the policy does not act.
 */
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder, replaceFile } from '../host/index.ts';
import { asObject, isCount, originProblem, type PolicyOrigin, ReinError, sha256Hex } from '../model/index.ts';
import { headOf } from './onnx/head.ts';
import { OnnxPolicy, type OnnxPolicyOptions } from './onnx/onnx-policy.ts';
import { actionDifference, type TaskAction } from './onnx/stated-action.ts';
import type { PolicyHead } from './policy.ts';

const FORMAT = 'rein-policy/1';
const GIVE = 'Give the path of a policy.onnx or of a run folder.';

/** The content of `policy.json`; its `digest` is the SHA-256 of `policy.onnx`. */
export interface PolicyFileManifest extends PolicyOrigin {
  readonly observationSize: number;
  readonly actionSize: number;
  /** Display names, e.g. `arm6` and `insert`. */
  readonly robot: string;
  readonly task: string;
  /** Output format of the network; `savePolicyFile` reads it from the network. Absent in files older than this field. */
  readonly head?: PolicyHead;
}

/** Requirements of the robot and task on a policy file. */
export interface PolicyFileExpectation extends OnnxPolicyOptions {
  /** The task's action, if known; the file's action metadata must agree with it. */
  readonly taskAction?: TaskAction;
}

/**
 * Writes `policy.onnx` and `policy.json` into `folder`, each by rename, the manifest last: a crash leaves the old pair,
 * or a pair whose digests differ and which is refused. Returns the path of `policy.onnx`. Throws `ReinError` ('storage').
 */
export async function savePolicyFile(
  folder: string,
  onnx: Uint8Array,
  manifest: Omit<PolicyFileManifest, 'digest' | 'head'>,
): Promise<string> {
  const path = join(folder, 'policy.onnx');
  const head = headOf(onnx, manifest.actionSize);
  const found = typeof head === 'string' ? {} : { head };
  const text = JSON.stringify({ format: FORMAT, ...manifest, ...found, digest: sha256Hex(onnx) }, undefined, 2);
  try {
    makeFolder(folder);
    await replaceFile(path, onnx);
    await replaceFile(manifestPath(path), `${text}\n`);
  } catch (error) {
    throw new ReinError('storage', `The policy could not be written to ${folder}: ${reasonOf(error)}.`, {
      remedy: 'Free disk space or choose another folder (--out of a run); an earlier policy there is untouched.',
      cause: error,
    });
  }
  return path;
}

/**
 * Opens a policy file as a policy that is ready to act. `path` is the file, or the folder that holds `policy.onnx`.
 * Throws `ReinError` ('policy') if a file is missing, truncated, damaged, for another robot or task, or if its outputs
 * are not finite. Never moves anything.
 */
export async function loadPolicyFile(path: string, expected: PolicyFileExpectation): Promise<OnnxPolicy> {
  const file = await resolvePolicyPath(path);
  const [onnx, manifest] = [await readPolicyBytes(file), await readPolicyManifest(file)];
  if (manifest.schemaHash !== expected.schemaHash) {
    throw refused(
      `${file} is for ${manifest.robot}/${manifest.task} (schema ${manifest.schemaHash}), not for this robot and task (${expected.schemaHash})`,
      'Choose the robot and task that it was trained for, or train a policy for these.',
    );
  }
  if (sha256Hex(onnx) !== manifest.digest) {
    throw refused(
      `${file} is not the file that ${basename(manifestPath(file))} describes (it is truncated, damaged or another policy)`,
      'Copy both files again from the run that made them.',
    );
  }
  if (manifest.observationSize !== expected.observationSize || manifest.actionSize !== expected.actionSize) {
    throw refused(
      `${file} takes ${manifest.observationSize} numbers and gives ${manifest.actionSize}, where ${expected.observationSize} and ${expected.actionSize} are needed`,
      'Choose the robot and task that it was trained for.',
    );
  }
  const difference = expected.taskAction === undefined ? undefined : actionDifference(onnx, expected.taskAction);
  if (difference !== undefined) throw refused(`${file} ${difference.clause}`, difference.remedy);
  const policy = new OnnxPolicy(expected);
  const adopted = await policy.adopt(onnx, manifest.version);
  if (adopted.ok && isSameHead(adopted.value.head, manifest.head)) return policy;
  await policy.close();
  if (adopted.ok) {
    throw refused(
      `${file} has ${shownHead(adopted.value.head)}, where ${basename(manifestPath(file))} says ${shownHead(manifest.head)}`,
      'Copy both files again from the run that made them.',
    );
  }
  throw new ReinError('policy', `${file} cannot be used. ${adopted.error.message}`, {
    remedy: adopted.error.remedy,
    cause: adopted.error,
  });
}

/** Reads and checks `policy.json` beside the policy at `path` (file or folder). Throws `ReinError` ('policy'). */
export async function readPolicyManifest(path: string): Promise<PolicyFileManifest> {
  const file = manifestPath(await resolvePolicyPath(path));
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const what = error instanceof SyntaxError ? 'is not JSON' : `cannot be read: ${reasonOf(error)}`;
    const remedy =
      'A policy is two files, policy.onnx and policy.json: copy both. An ONNX file alone, of another program, goes into a task: basePolicy: { file: … }.';
    throw refused(`${file} ${what}`, remedy, error);
  }
  const problem = manifestProblem(parsed);
  if (problem !== undefined) throw refused(`${file} ${problem}`, 'Copy it again from the run that made it.');
  return parsed as PolicyFileManifest;
}

async function resolvePolicyPath(path: string): Promise<string> {
  const found = await stat(path).catch((error: unknown) => unreadable(path, error));
  if (found.isDirectory()) return join(path, 'policy.onnx');
  if (path.endsWith('.onnx')) return path;
  throw refused(`${path} is no ONNX file`, GIVE);
}

function readPolicyBytes(file: string): Promise<Uint8Array> {
  return readFile(file).catch((error: unknown) => unreadable(file, error));
}

function unreadable(path: string, error: unknown): never {
  throw refused(`${path} cannot be read: ${reasonOf(error)}`, GIVE, error);
}

function manifestPath(file: string): string {
  return join(dirname(file), `${basename(file, '.onnx')}.json`);
}

function manifestProblem(value: unknown): string | undefined {
  const fields = asObject(value);
  if (fields === undefined) return 'is not a JSON object';
  if (fields['format'] !== FORMAT) return `does not say "format": "${FORMAT}"`;
  const missing = originProblem(fields);
  if (missing !== undefined) return missing;
  for (const key of ['robot', 'task']) if (typeof fields[key] !== 'string') return `has no text '${key}'`;
  for (const key of ['observationSize', 'actionSize']) if (!isCount(fields[key])) return `has no whole number '${key}'`;
  return isHead(fields['head']) ? undefined : "has a 'head' that this version of Rein does not know";
}

/** A manifest without a head matches any head. */
function isSameHead(own: PolicyHead, said: PolicyHead | undefined): boolean {
  return said === undefined || shownHead(own) === shownHead(said);
}

function shownHead(head: PolicyHead | undefined): string {
  return head === undefined
    ? 'no head'
    : `the head ${head.kind} with ${head.noiseSize} numbers of noise, ${head.noise}`;
}

function isHead(value: unknown): boolean {
  if (value === undefined) return true;
  const { kind, noiseSize, noise } = asObject(value) ?? {};
  return (
    (kind === 'gaussian' || kind === 'action') && isCount(noiseSize) && (noise === 'exploring' || noise === 'always')
  );
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EACCES') return 'permission denied';
  return error instanceof Error ? error.message : String(error);
}

function refused(message: string, remedy: string, cause?: unknown): ReinError {
  return new ReinError('policy', `${message}.`, cause === undefined ? { remedy } : { remedy, cause });
}
