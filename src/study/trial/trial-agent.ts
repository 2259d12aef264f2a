/** The learner of a trial: made for its environment, and continued from what another training came to. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, ReinError, sha256Hex, totalObservationSize } from '../../core/index.ts';
import {
  type Agent,
  type AgentSnapshot,
  type AgentSpec,
  createAgent,
  type ObservationEncoder,
} from '../../learner/index.ts';
import { readState } from '../files/state-file.ts';
import { readTrialSpecIfAny, TRIAL_FILES, type TrialSpec } from './spec.ts';
import { checkSameEncoder } from './trial-state.ts';

/**
 * Builds the networks of `spec` for `environment`, for what `eyes` make of its observations where there are any. Throws
 * `ReinError('config')` where the settings cannot work.
 */
export async function openTrialAgent(
  spec: TrialSpec,
  environment: Environment,
  eyes: ObservationEncoder | undefined,
): Promise<Agent> {
  const { learner: config, seed } = spec;
  const { actionSize } = environment;
  const { parts } = eyes ?? environment;
  const sizes = { observationSize: totalObservationSize(parts), parts, actionSize };
  const remedy = "Change the learner's file or --set another value.";
  return openAgent({ ...sizes, config, seed }, `The learner cannot work in "${environment.name}"`, remedy);
}

/** Builds the networks of `spec`. Rejects with `ReinError('config')`, which begins with `failure`, where the settings cannot work. */
export async function openAgent(spec: AgentSpec, failure: string, remedy: string): Promise<Agent> {
  try {
    return await createAgent(spec);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new ReinError('config', `${failure}: ${cause.message}.`, { remedy, cause });
  }
}

/** What of a checkpoint is taken over by another training. */
interface Networks {
  readonly agent?: AgentSnapshot;
  readonly encoderDigest?: string;
}

/**
 * Gives `agent` the networks and optimisers that the trial or pre-training in `folder` ended with; its random numbers stay its
 * own, and calls that were refused there are not counted again. Throws `ReinError` where there is no such thing, it does not
 * fit, or it has learned through another frozen encoder than the one that `agent` is configured for: `eyes`, or without them the
 * file as it is now.
 */
export async function startFrom(
  agent: Agent,
  folder: string,
  onDamage: (sentence: string) => void,
  eyes?: ObservationEncoder,
): Promise<void> {
  const found = readState(join(folder, TRIAL_FILES.checkpoints), onDamage) as Networks | undefined;
  if (found?.agent === undefined) {
    throw new ReinError('checkpoint', `${folder} holds no networks to begin with.`, {
      remedy: 'Give the folder of a finished rein train or rein pretrain.',
    });
  }
  checkEncoder(agent, folder, found.encoderDigest, eyes);
  await checkSnapshotFits(agent, found.agent, folder);
  await agent.restore({ ...found.agent, rng: (await agent.snapshot()).rng, refusedCalls: 0 });
}

function checkEncoder(
  agent: Agent,
  folder: string,
  digest: string | undefined,
  eyes: ObservationEncoder | undefined,
): void {
  const trial = readTrialSpecIfAny(folder);
  // Of a pre-training that has not written down what it looked through, nothing is known.
  if (digest === undefined && trial === undefined) return;
  const file = agent.config.encoder.frozen?.file;
  checkSameEncoder(
    folder,
    digest === undefined ? undefined : { file: trial?.learner.encoder.frozen?.file, digest },
    file === undefined ? undefined : { file, digest: eyes?.digest ?? sha256Hex(readFileSync(file)) },
  );
}

/** Throws `ReinError('checkpoint')` where `snapshot`, from `folder`, is not one of such an agent. */
export async function checkSnapshotFits(agent: Agent, snapshot: AgentSnapshot, folder: string): Promise<void> {
  const own = await agent.snapshot();
  const clauses = [
    differs('observations of', snapshot.observationSize, own.observationSize),
    differs('actions of', snapshot.actionSize, own.actionSize),
    differs('networks and optimisers of', snapshot.state.length, own.state.length),
  ].filter((clause) => clause !== undefined);
  const lacking = Object.keys(own.rng).filter((purpose) => !(purpose in snapshot.rng));
  if (lacking.length > 0) clauses.push(`no random numbers for ${lacking.join(', ')}`);
  if (clauses.length === 0) return;
  throw new ReinError('checkpoint', `The checkpoint in ${folder} has ${clauses.join(' and ')}.`, {
    remedy: 'Give it the environment and learner that it was made with.',
  });
}

function differs(what: string, found: number, wanted: number): string | undefined {
  return found === wanted ? undefined : `${what} ${found} numbers instead of ${wanted}`;
}
