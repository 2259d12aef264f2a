/** `rein pretrain`: networks from stored transitions or demonstrations, for a training that begins with them. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ObservationParts, ReinError, Rng, type Transition, totalObservationSize } from '../../../core/index.ts';
import { createAgent, createReplay, openObservationEncoder, type PretrainingReport } from '../../../learner/index.ts';
import { readJournal } from '../../../learner/link/index.ts';
import { type LearnerSettings, loadResolvedConfig } from '../../config/index.ts';
import { RUN_FILES } from '../../record/index.ts';
import { createSetup } from '../../setup.ts';
import { createStudyEnvironment, type DemonstrationSpec, demonstrations } from '../environments/index.ts';
import { readTransitionLog, storage, writeState, writeWhole } from '../files/index.ts';
import { readTrialSpec, TRIAL_FILES, type TrialSpec } from '../trial/index.ts';

/** Where the transitions come from. */
export type PretrainingData =
  /** The transitions of a run: of `rein train`, or the journal of a robot. */
  | { readonly kind: 'run'; readonly folder: string }
  /** Episodes of an environment's scripted expert. */
  | {
      readonly kind: 'environment';
      readonly environment: TrialSpec['environment'];
      readonly base: TrialSpec['base'];
      readonly demonstrations: DemonstrationSpec;
    };

/** What is learned from, with which settings, into which folder. */
export interface PretrainingRequest {
  readonly data: PretrainingData;
  readonly learner: LearnerSettings;
  readonly seed: number;
  /** New folder for the networks. */
  readonly out: string;
}

/** What came of it: `pretraining.json` in the folder. */
export interface PretrainingResult {
  readonly transitions: number;
  readonly cloning: PretrainingReport;
  readonly offline: PretrainingReport;
  /** SHA-256 of the whole state, hexadecimal. */
  readonly stateDigest: string;
}

const RESULT = 'pretraining.json';

/**
 * Trains on the data alone: clones its actions (`bcInitSteps`), then, where the algorithm can, learns offline
 * (`wsrl.offlineUpdates`). Leaves networks in `out` for `--from`. Rejects with `ReinError` where there is nothing to learn from or
 * `out` holds something.
 */
export async function runPretraining({ data, learner, seed, out }: PretrainingRequest): Promise<PretrainingResult> {
  if (existsSync(join(out, TRIAL_FILES.checkpoints))) {
    throw new ReinError('storage', `${out} holds networks already.`, { remedy: 'Choose another folder with --out.' });
  }
  const { parts: raw, actionSize, transitions } = await collect(data, seed);
  const eyes = await openObservationEncoder(learner.encoder, raw);
  const { parts } = eyes ?? { parts: raw };
  const sizes = { observationSize: totalObservationSize(parts), parts, actionSize };
  const agent = await createAgent({ ...sizes, config: learner, seed });
  try {
    const replay = createReplay({ ...sizes, config: learner });
    for (const transition of transitions) {
      transition.source = 'demo';
      if (eyes === undefined) replay.add(transition);
      else await eyes.take(transition).then(({ transition: seen, frames }) => replay.add(seen, { frames }));
    }
    const { demonstrations, dropped } = replay.counts();
    if (demonstrations === 0) throw nothing(transitions.length, dropped);
    const cloning = await agent.pretrain(replay);
    const offline = await agent.pretrainOffline(replay, learner.wsrl.offlineUpdates);
    const snapshot = await agent.snapshot();
    const { state } = snapshot;
    const stateDigest = createHash('sha256')
      .update(new Uint8Array(state.buffer, state.byteOffset, state.byteLength))
      .digest('hex');
    const result = { transitions: demonstrations, cloning, offline, stateDigest };
    const policy = await agent.exportPolicy({}, eyes);
    storage(out, () => {
      mkdirSync(out, { recursive: true });
      writeWhole(join(out, TRIAL_FILES.policy), policy);
      writeWhole(join(out, RESULT), Buffer.from(`${JSON.stringify(result, undefined, 2)}\n`));
    });
    // Last: a folder that has it is whole.
    writeState(join(out, TRIAL_FILES.checkpoints), 0, { formatVersion: 1, step: 0, agent: snapshot });
    return result;
  } finally {
    await agent.close();
    await eyes?.close();
  }
}

interface Collected {
  readonly parts: ObservationParts;
  readonly actionSize: number;
  readonly transitions: readonly Transition[];
}

async function collect(data: PretrainingData, seed: number): Promise<Collected> {
  if (data.kind === 'environment') return fromExpert(data, seed);
  const { folder } = data;
  if (existsSync(join(folder, TRIAL_FILES.spec))) return fromTrial(folder);
  const { parts, actionSize } = createSetup(loadResolvedConfig(join(folder, RUN_FILES.config)));
  return { parts, actionSize, transitions: [...readJournal(join(folder, 'journal'))] };
}

async function fromExpert(data: PretrainingData & { kind: 'environment' }, seed: number): Promise<Collected> {
  const made = await createStudyEnvironment(data.environment.name, data.environment.options, data.base);
  const { environment } = made;
  try {
    const expert = made.expert(data.demonstrations.skill);
    const rng = new Rng(seed).fork('demonstrations');
    const transitions = [...demonstrations(environment, expert, data.demonstrations, rng)];
    return { parts: environment.parts, actionSize: environment.actionSize, transitions };
  } finally {
    environment.close();
  }
}

async function fromTrial(folder: string): Promise<Collected> {
  const { environment: asked, base } = readTrialSpec(folder);
  const { environment } = await createStudyEnvironment(asked.name, asked.options, base);
  const { parts, actionSize } = environment;
  environment.close();
  const sizes = { observationSize: totalObservationSize(parts), actionSize };
  return { parts, actionSize, transitions: [...readTransitionLog(join(folder, TRIAL_FILES.transitions), sizes)] };
}

function nothing(offered: number, dropped: Readonly<Record<string, number>>): ReinError {
  const why = Object.entries(dropped).filter(([, count]) => count > 0);
  const reasons = why.map(([reason, count]) => `${count} ${reason}`).join(', ');
  const message = `There is nothing to learn from: ${offered} transitions were offered${reasons === '' ? '' : ` (${reasons})`}.`;
  return new ReinError('storage', message, {
    remedy: 'Give a run that has recorded something, or ask for demonstrations.',
  });
}
