/** Where a run's metrics go: lines of JSON, and beside them TensorBoard's event files. */
import { dirname, join } from 'node:path';
import { makeFolder, messageOf } from '../core/index.ts';
import type { MetricRecord } from './metric-records.ts';
import { MetricsWriter } from './metrics-writer.ts';
import { eventFile, eventFileHead, eventOf } from './tensorboard.ts';

export interface RunMetricsOptions {
  /** The lines'. */
  readonly path: string;
  /**
   * Folder of the event files, relative to that of the lines. Each process has its own: TensorBoard follows one file of a folder at a time.
   */
  readonly events: string;
  /** Told in one sentence when a disk refuses. */
  readonly onDegraded: (message: string) => void;
}

export class RunMetrics {
  readonly #lines: MetricsWriter;
  readonly #events: MetricsWriter;

  constructor({ path, events, onDegraded }: RunMetricsOptions) {
    this.#lines = new MetricsWriter(path, { onDegraded });
    const folder = join(dirname(path), events);
    // One sentence for one disk.
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

  /** Queues; never throws, waits or touches a disk. */
  write(record: MetricRecord): void {
    this.#lines.write(record);
    this.#events.write(record);
  }

  /** Writes what waits. Never rejects. */
  async close(): Promise<void> {
    await this.#lines.close();
    await this.#events.close();
  }
}
