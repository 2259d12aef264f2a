/** A thread that runs trials on simulated robots of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { packError } from '../../core/index.ts';
import { BenchPlants } from '../plants.ts';
import { runTrial } from '../run-trial.ts';
import type { CheckWorkerData, TrialAnswer, TrialRequest } from './trial-pool.ts';

const data = workerData as CheckWorkerData;
const plants = new BenchPlants(data.subject);

async function answer({ id, plan, without }: TrialRequest): Promise<TrialAnswer> {
  try {
    const { subject, chain, seed } = data;
    const naturalHz = await plants.naturalHz();
    const plant = await plants.get(plan.variant);
    const { hasEnergy } = plants;
    const setting = { model: subject.model, chain, without, seed, plant, hasEnergy, naturalHz };
    return { kind: 'done', id, outcome: runTrial(setting, plan) };
  } catch (error) {
    return { kind: 'failed', id, error: packError(error) };
  }
}

parentPort?.on('message', (message: TrialRequest | 'close') => {
  if (message === 'close') {
    plants.close();
    parentPort?.close();
    return;
  }
  void answer(message).then((reply) => parentPort?.postMessage(reply));
});
