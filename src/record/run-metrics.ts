/** Destinations of a run's metrics: JSON lines, and TensorBoard event files. */
import { dirname, join } from 'node:path';
import { makeFolder } from '../host/index.ts';
import { messageOf } from '../model/index.ts';
import type { MetricRecord } from './metric-records.ts';
import { MetricsWriter } from './metrics-writer.ts';
import { eventFile, eventFileHead, eventOf } from './tensorboard.ts';

export interface RunMetricsOptions {
  /** File of the JSON lines. */
  readonly path: string;
  /**
   * Folder of the event files, relative to that of the lines. Each process has its own: TensorBoard follows one file of a folder at a time.
   */
  readonly events: string;
  /** Called with one sentence when a disk refuses. */
  readonly onDegraded: (message: string) => void;
}

export class RunMetrics {
  readonly #lines: MetricsWriter;
  readonly #events: MetricsWriter;

  constructor({ path, events, onDegraded }: RunMetricsOptions) {
    this.#lines = new MetricsWriter(path, { onDegraded });
    const folder = join(dirname(path), events);
    // One message for both files.
    const onTrouble = (message: string): void => (this.#lines.degraded ? undefined : onDegraded(message));
    this.#events = new MetricsWriter(eventFile(folder), {
      onDegraded: onTrouble,
      encode: eventOf,
      head: eventFileHead(),
    });
    try {
      makeFolder(folder);
    } catch (cause) {
      onTrouble(messageOf(cause));
    }
  }

  /** Queues; never throws, blocks or touches a disk. */
  write(record: MetricRecord): void {
    this.#lines.write(record);
    this.#events.write(record);
  }

  /** Writes the queued records. Never rejects. */
  async close(): Promise<void> {
    await this.#lines.close();
    await this.#events.close();
  }
}
