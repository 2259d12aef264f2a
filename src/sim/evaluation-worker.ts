/** Worker thread with its own simulated robot that runs evaluation episodes, without interventions or exploration. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createSetup, type RunSetup, taskActionOf } from '../config/setup.ts';
import { threadFolder } from '../guard/index.ts';
import { serveJobs } from '../host/index.ts';
import { Rng } from '../model/index.ts';
import { loadPolicyFile, OnnxPolicy } from '../policy/index.ts';
import type { EpisodeRecording } from '../record/index.ts';
import type { SceneLayout } from '../rows/index.ts';
import { encoderFor } from '../session/rollout.ts';
import { taskKind } from '../tasks/index.ts';
import type { Candidate, EpisodeRequest, EvaluationWorkerData, JudgedEpisode } from './evaluation-pool.ts';
import { PoseRecorder } from './pose-recorder.ts';
import { createSimulatedRobot, type SimulatedRobot } from './simulated-robot.ts';

/** Gives about a tenth of the CPU time of a competing thread of nice 0. */
const PATIENT_NICE = 10;

/** Caches the policy of the last request: the next one is usually for the same. */
class PolicyHolder {
  readonly #setup: RunSetup;
  #key = '';
  #policy: OnnxPolicy | undefined;

  constructor(setup: RunSetup) {
    this.#setup = setup;
  }

  async get(candidate: Candidate): Promise<OnnxPolicy> {
    const key = candidate.kind === 'file' ? candidate.path : candidate.bundle.manifest.digest;
    if (this.#policy !== undefined && key === this.#key) return this.#policy;
    await this.#policy?.close();
    this.#policy = await this.#load(candidate);
    this.#key = key;
    return this.#policy;
  }

  async close(): Promise<void> {
    await this.#policy?.close();
  }

  async #load(candidate: Candidate): Promise<OnnxPolicy> {
    const { observationSize, actionSize, schemaHash } = this.#setup;
    const taskAction = taskActionOf(this.#setup);
    if (candidate.kind === 'file') {
      return loadPolicyFile(candidate.path, { observationSize, actionSize, schemaHash, taskAction });
    }
    const policy = new OnnxPolicy({ observationSize, actionSize, schemaHash, ...encoderFor(this.#setup) });
    const swapped = await policy.swap(candidate.bundle);
    if (!swapped.ok) throw swapped.error;
    return policy;
  }
}

async function runEpisode(
  setup: RunSetup,
  robot: SimulatedRobot,
  policies: PolicyHolder,
  request: EpisodeRequest,
): Promise<JudgedEpisode> {
  const { link, runner, scene } = robot;
  const policy = await policies.get(request.candidate);
  const rng = new Rng(request.seed).fork(`${request.stream} ${request.index}`);
  const { task } = setup.config;
  const depthM = taskKind(task).successDepthM?.(task);
  const isDrawn = request.record === 'poses' && scene.geoms.length > 0;
  let recorder: PoseRecorder | undefined;
  const draw = (): SceneLayout => {
    const layout = setup.task.drawLayout(rng);
    if (isDrawn) recorder = new PoseRecorder(scene, layout, depthM);
    return layout;
  };
  const stop = link.onFrame(() => recorder?.tick());
  const { ticks, changedTicks, violations } = link.latest;
  const result = await runner.runDrawn(draw, {
    policy,
    noise: { rng: rng.fork('noise'), purpose: 'evaluate' },
    purpose: 'evaluation',
  });
  stop();
  const restarts = await robot.goOn();
  const outcome = {
    success: result.success,
    ...(result.own === undefined ? {} : { ownSuccess: result.own.firstSuccess !== null }),
    steps: result.steps,
    ticks: link.latest.ticks - ticks,
    changedTicks: link.latest.changedTicks - changedTicks,
    violations: link.latest.violations - violations,
    restarts,
  };
  const recording: EpisodeRecording | undefined = recorder?.finish(outcome.success, setup.config.robot.controlHz);
  return { outcome, ...(recording === undefined ? {} : { recording }) };
}

async function main(): Promise<void> {
  const { config, share } = workerData as EvaluationWorkerData;
  if (share === 'rest') yieldToOthers();
  const setup = createSetup(config);
  const robot = await createSimulatedRobot(setup);
  const policies = new PolicyHolder(setup);
  serveJobs(
    parentPort,
    (request: EpisodeRequest) => runEpisode(setup, robot, policies, request),
    async () => {
      await policies.close();
      await robot.close();
    },
  );
}

/** Lowers this thread's priority. Linux only: elsewhere it would lower the whole process, the robot included. */
function yieldToOthers(): void {
  const threadId = threadFolder()?.split('/').at(-1);
  if (threadId !== undefined) setPriority(Number(threadId), PATIENT_NICE);
}

await main();
