/** Thread that runs trials on its own simulated robots. */
import { parentPort, workerData } from 'node:worker_threads';
import { serveJobs } from '../../host/index.ts';
import { BenchPlants } from '../plants.ts';
import { runTrial } from '../run-trial.ts';
import type { TrialOutcome } from '../trial-outcome.ts';
import type { CheckWorkerData, TrialRequest } from './trial-pool.ts';

const data = workerData as CheckWorkerData;
const plants = new BenchPlants(data.subject);

async function outcomeOf({ plan, without }: TrialRequest): Promise<TrialOutcome> {
  const { subject, chain, seed, sagMaxM } = data;
  const naturalHz = await plants.naturalHz();
  const plant = await plants.get(plan.variant);
  const { hasEnergy } = plants;
  return runTrial({ model: subject.model, chain, without, seed, plant, hasEnergy, naturalHz, sagMaxM }, plan);
}

serveJobs(parentPort, outcomeOf, () => plants.close());
