/** A run that is shown elsewhere: its packets go out, and what people ask for there comes in. */
import { type Close, SystemClock } from '../core/index.ts';
import type { TeleopSource } from '../teleop/index.ts';
import { PersonPanel } from './person-panel.ts';
import type { RunWatcher } from './person-request.ts';
import type { RunObserver } from './run-log.ts';
import type { RunNames } from './run-view.ts';
import type { LiveSession } from './session.ts';
import { Telemetry } from './telemetry.ts';

export interface WatchedRunOptions extends RunNames {
  readonly watcher: RunWatcher;
  /** Sees what the watcher is shown as well. */
  readonly observer: RunObserver;
  /** Of a page's commands, s; what a real robot can bear by default. */
  readonly leaseS?: number;
}

export class WatchedRun {
  /** `WatchedRunOptions.observer`, and the watcher. */
  readonly observer: RunObserver;
  /** Who takes over from elsewhere: to be among the session's operators, which close it. */
  readonly operator: TeleopSource;
  readonly #telemetry: Telemetry;
  readonly #panel: PersonPanel;

  constructor({ watcher, setup, runId, folder, command, observer, leaseS }: WatchedRunOptions) {
    const send = (packet: Uint8Array): void => watcher.packet(packet);
    this.#telemetry = new Telemetry({ setup, runId, folder, command, send });
    this.observer = this.#telemetry.observer(observer);
    const report = (line: string): void => this.observer.print(line);
    this.#panel = new PersonPanel({ action: setup.task.action, clock: new SystemClock(), report, leaseS });
    this.operator = this.#panel.teleop;
    watcher.asks((request) => this.#panel.ask(request));
  }

  /** Shows `session`, and does in it what is asked for, until what it gives is called. */
  attach(session: LiveSession): Close {
    this.#telemetry.attach(session);
    this.#panel.attach(session);
    return () => this.#telemetry.close();
  }
}
