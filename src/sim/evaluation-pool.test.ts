import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ResolvedConfig } from '../config/index.ts';
import { ReinError } from '../model/index.ts';
import { type EpisodeRequest, EvaluationPool, type JudgedEpisode, type Trial, workersFor } from './evaluation-pool.ts';

/** Fake thread that answers on the test's command. */
class FakeWorker extends EventEmitter {
  static readonly all: FakeWorker[] = [];
  static answer: (request: EpisodeRequest, worker: FakeWorker, id: number) => void = () => undefined;
  readonly asked: EpisodeRequest[] = [];

  constructor() {
    super();
    FakeWorker.all.push(this);
  }

  postMessage(message: { id: number; job: EpisodeRequest } | 'close'): void {
    if (message === 'close') {
      setImmediate(() => this.emit('exit', 0));
      return;
    }
    this.asked.push(message.job);
    FakeWorker.answer(message.job, this, message.id);
  }

  say(answer: { id: number; outcome: JudgedEpisode } | { id: number; error: object }): void {
    this.emit('message', answer);
  }
}

vi.mock('node:worker_threads', () => ({
  Worker: class {
    constructor() {
      // biome-ignore lint/correctness/noConstructorReturn: the pool's `new Worker` is to give the fake.
      return new FakeWorker();
    }
  },
}));

const trial: Trial = { candidate: { kind: 'file', path: 'p' }, seed: 1, stream: 's', from: 10, episodes: 7 };

/** Episodes succeed unless their index is in `failures`; the later half of a batch answers first. */
function answering(failures: readonly number[]): void {
  FakeWorker.answer = ({ index, record }, worker, id) => {
    const success = !failures.includes(index);
    const restarts = success ? { count: 0 } : { count: 1, reason: `episode ${index}` };
    const outcome = { success, steps: index, ticks: 10, changedTicks: 1, violations: 0, restarts };
    const recording = { caption: `${index}`, success: true, geoms: [], frames: [], frameS: 0.05 };
    const answer = { id, outcome: { outcome, ...(record === 'poses' ? { recording } : {}) } };
    setTimeout(() => worker.say(answer), index % 2 === 0 ? 2 : 0);
  };
}

afterEach(() => {
  FakeWorker.all.length = 0;
});

describe('the evaluation pool', () => {
  const config = {} as ResolvedConfig;

  it('runs each episode once, over all workers, and sums them up', async () => {
    answering([11, 14]);
    const pool = new EvaluationPool(config, 3);
    const progress: number[] = [];
    const result = await pool.run({ ...trial, record: 12, onProgress: (sum) => progress.push(sum.episodes) });
    expect(result).toMatchObject({ episodes: 7, successes: 5, meanSteps: 13, ticks: 70, changedTicks: 7 });
    expect(result.restarts).toEqual({ count: 2, reason: 'episode 14' });
    expect(result.recording?.caption).toBe('12');
    expect(FakeWorker.all.flatMap(({ asked }) => asked.map(({ index }) => index)).sort()).toEqual([
      10, 11, 12, 13, 14, 15, 16,
    ]);
    expect(progress.at(-1)).toBe(7);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    await pool.close();
  });

  it('lets no worker wait for an episode of another that takes long', async () => {
    answering([]);
    const { answer } = FakeWorker;
    let isSlowDone = (): void => undefined;
    FakeWorker.answer = (request, worker, id) => {
      if (request.index !== 10) return answer(request, worker, id);
      isSlowDone = () => answer(request, worker, id);
      return undefined;
    };
    const pool = new EvaluationPool(config, 2);
    const running = pool.run(trial);
    await vi.waitFor(() => expect(FakeWorker.all[1]!.asked).toHaveLength(6));
    isSlowDone();
    expect(await running).toMatchObject({ episodes: 7, meanSteps: 13 });
    expect(FakeWorker.all[0]!.asked).toHaveLength(1);
    await pool.close();
  });

  it('ends where its episodes are enough, the same with any number of workers', async () => {
    for (const workers of [1, 2, 5]) {
      answering([10, 12, 13]);
      const pool = new EvaluationPool(config, workers);
      expect(
        await pool.run({ ...trial, isEnough: ({ episodes, successes }) => episodes - successes > 1 }),
      ).toMatchObject({ episodes: 3, successes: 1 });
      await pool.close();
    }
  });

  it('has the workers that are worth their start', () => {
    expect([1, 8, 9, 200].map(workersFor)).toEqual([1, 1, 2, 2]);
  });

  it('can be ended between episodes', async () => {
    answering([]);
    const pool = new EvaluationPool(config, 2);
    const ending = new AbortController();
    const reason = new Error('enough');
    const running = pool.run({ ...trial, signal: ending.signal, onProgress: () => ending.abort(reason) });
    await expect(running).rejects.toBe(reason);
    // Episode 11 may be answered, and another begun, before 10 is counted.
    expect(FakeWorker.all.flatMap(({ asked }) => asked).length).toBeLessThan(trial.episodes);
  });

  it('hands on what a worker says is wrong with the policy', async () => {
    FakeWorker.answer = (_request, worker, id) => {
      const packed = { kind: 'policy', message: 'full of NaN', remedy: 'train again' } as const;
      setImmediate(() => worker.say({ id, error: packed }));
    };
    const pool = new EvaluationPool(config, 1);
    const error = await pool.run(trial).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ReinError);
    expect(error).toMatchObject({ kind: 'policy', message: 'full of NaN', remedy: 'train again' });
  });

  it('fails, now and later, when a worker dies', async () => {
    FakeWorker.answer = (_request, worker) => void setImmediate(() => worker.emit('error', new Error('out of memory')));
    const pool = new EvaluationPool(config, 2);
    await expect(pool.run(trial)).rejects.toThrow('out of memory');
    await expect(pool.run(trial)).rejects.toThrow('out of memory');
  });

  it('does not wait for a worker that a module has ended', { timeout: 5000 }, async () => {
    FakeWorker.answer = (_request, worker) => void setImmediate(() => worker.emit('exit', 3));
    const pool = new EvaluationPool(config, 2);
    const message = 'A worker thread has ended by itself, with exit code 3.';
    await expect(pool.run(trial)).rejects.toThrow(expect.objectContaining({ name: 'ReinError', message }));
  });
});
