/** A run that is displayed elsewhere, recorded as a trace, or both: sends its packets, and receives people's requests. */
import type { Close } from '../host/index.ts';
import { SystemClock } from '../model/index.ts';
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
  /** See `TelemetryOptions`. */
  readonly pace?: 'lockStep' | undefined;
  /** Absent: the run is not watched. */
  readonly watcher: RunWatcher | undefined;
  /** Recording of a trace. */
  readonly trace: 'on' | 'off';
  /** Receives what the watcher is shown, too. */
  readonly observer: RunObserver;
  /** Sources of the values of the task's topics, in their order; absent: none. */
  readonly observations?: readonly ObservationSource[] | undefined;
  /** Lease of a page's commands, s; by default what a real robot can bear. */
  readonly leaseS?: number;
}

export class WatchedRun {
  /** Passes on to `WatchedRunOptions.observer` and to the watcher. */
  readonly observer: RunObserver;
  /** Remote operators, to be added to the session's operators, which close them. Empty without a watcher. */
  readonly operators: readonly TeleopSource[];
  readonly #telemetry: Telemetry;
  readonly #panel: PersonPanel | undefined;
  readonly #trace: TraceRecorder | undefined;

  constructor(options: WatchedRunOptions) {
    const { watcher, trace, setup, runId, folder, command, observer, observations, leaseS, pace } = options;
    const report = (line: string): void => this.observer.print(line);
    // Bypasses the packets, which would record the trace's own trouble in it.
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

  /** Displays `session` and carries out requests in it, until the returned function is called. */
  attach(session: LiveSession): Close {
    this.#telemetry.attach(session);
    this.#panel?.attach(session);
    return () => this.#telemetry.detach();
  }

  /** Sends what waits for pages, and writes what waits for the disk. */
  async close(): Promise<void> {
    this.#telemetry.close();
    await this.#trace?.close();
  }
}
