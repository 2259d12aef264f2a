/** A run that is shown elsewhere, recorded as a trace, or both: its packets go out, and what people ask for comes in. */
import { type Close, SystemClock } from '../core/index.ts';
import { TraceRecorder } from '../record/trace.ts';
import type { ObservationSource } from '../tasks/index.ts';
import type { TeleopSource } from '../teleop/index.ts';
import { PersonPanel } from './person-panel.ts';
import type { RunWatcher } from './person-request.ts';
import type { RunObserver } from './run-log.ts';
import type { RunNames } from './run-view.ts';
import type { LiveSession } from './session.ts';
import { Telemetry } from './telemetry.ts';

export interface WatchedRunOptions extends RunNames {
  /** As of `TelemetryOptions`. */
  readonly pace?: 'lockStep' | undefined;
  /** Absent: nobody watches. */
  readonly watcher: RunWatcher | undefined;
  /** Whether a trace is written. */
  readonly trace: 'on' | 'off';
  /** Sees what the watcher is shown as well. */
  readonly observer: RunObserver;
  /** Where the values of the task's topics come from, in their order; absent: nowhere. */
  readonly observations?: readonly ObservationSource[] | undefined;
  /** Of a page's commands, s; what a real robot can bear by default. */
  readonly leaseS?: number;
}

export class WatchedRun {
  /** `WatchedRunOptions.observer`, and the watcher. */
  readonly observer: RunObserver;
  /** Who takes over from elsewhere: to be among the session's operators, which close them. Nobody where nobody watches. */
  readonly operators: readonly TeleopSource[];
  readonly #telemetry: Telemetry;
  readonly #panel: PersonPanel | undefined;
  readonly #trace: TraceRecorder | undefined;

  constructor(options: WatchedRunOptions) {
    const { watcher, trace, setup, runId, folder, command, observer, observations, leaseS, pace } = options;
    const report = (line: string): void => this.observer.print(line);
    // Not by way of the stream, which would tell the trace of itself.
    const onTrouble = (line: string): void => observer.print(line);
    this.#trace = trace === 'off' ? undefined : new TraceRecorder({ folder, onTrouble });
    this.#telemetry = new Telemetry({
      setup,
      runId,
      folder,
      command,
      observations,
      pace,
      send: watcher === undefined ? undefined : (packet) => watcher.packet(packet),
      keep: this.#trace === undefined ? undefined : (packet) => this.#trace?.packet(packet),
    });
    this.observer = this.#telemetry.observer(observer);
    if (watcher !== undefined) {
      this.#panel = new PersonPanel({ action: setup.task.action, folder, clock: new SystemClock(), report, leaseS });
      watcher.asks((request) => this.#panel?.ask(request));
    }
    this.operators = this.#panel === undefined ? [] : [this.#panel.teleop];
  }

  /** Shows `session`, and does in it what is asked for, until what it gives is called. */
  attach(session: LiveSession): Close {
    this.#telemetry.attach(session);
    this.#panel?.attach(session);
    return () => this.#telemetry.detach();
  }

  /** What waits for pages is sent, and what waits for the disk is written. */
  async close(): Promise<void> {
    this.#telemetry.close();
    await this.#trace?.close();
  }
}
