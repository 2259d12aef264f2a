/** Third-party operators: the plugin contract of the kind `operator`. */
import { checkGiven, openPlugin, type PluginBase, type PluginReference } from '../host/index.ts';
import { type ActionSpec, checkAction, type ObservationSpec } from '../model/index.ts';
import { liftStopOf, type OperatorEcho, type TeleopCommand, type TeleopSource } from './teleop-source.ts';

/** Context passed to `create`. */
export interface OperatorContext<O = unknown> {
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  readonly policyHz: number;
  /** `demonstrator`: decides the whole episode. `overseer`: lets the policy try, and takes over when it wants to. */
  readonly role: 'demonstrator' | 'overseer';
  /** Seed of the run; a script draws all its randomness from it, so that runs repeat. */
  readonly seed: number;
  /** `operatorPlugin.options` of the task's file, as returned by the plugin's own check. */
  readonly options: O;
}

/** A kind of operator: a hand-held device, or a script. Its module is loaded in the node's process. */
export interface OperatorPlugin<O = unknown> extends PluginBase<O> {
  create(context: OperatorContext<O>): TeleopSource;
}

/**
 * Loads the third-party operator named by `reference`, and creates it for `context`. Its output is checked like a
 * policy's: anything but an action throws, and never reaches the guard. Throws `ReinError('config')`.
 */
export function openOperator(reference: PluginReference, context: Omit<OperatorContext, 'options'>): TeleopSource {
  const { plugin, options } = openPlugin<OperatorPlugin>('operator', reference);
  const source: unknown = plugin.create({ ...context, options });
  checkOperator(source, plugin.name);
  return new PluginOperator(plugin.name, source, context.action.dimensions.length);
}

class PluginOperator implements TeleopSource {
  readonly name: string;
  readonly decidedBy: TeleopSource['decidedBy'];
  readonly #source: TeleopSource;
  readonly #refuse: (clause: string) => never;
  readonly #who: string;
  readonly #actionSize: number;
  #isActive = false;

  constructor(plugin: string, source: TeleopSource, actionSize: number) {
    this.name = source.name;
    this.decidedBy = source.decidedBy;
    this.#source = source;
    this.#refuse = checkGiven('operator', plugin, source);
    this.#who = `The operator ${plugin}`;
    this.#actionSize = actionSize;
  }

  get isStopRequested(): boolean {
    return this.#source.isStopRequested === true;
  }

  get stoppedBy(): string | undefined {
    return this.#source.stoppedBy;
  }

  get isInControl(): boolean {
    return this.#source.isInControl ?? this.#isActive;
  }

  get isLost(): boolean {
    return this.#source.isLost === true;
  }

  get echo(): OperatorEcho | undefined {
    return this.#source.echo;
  }

  poll(observation: Float32Array, nowS: number, out: TeleopCommand): void {
    const { action } = out;
    this.#source.poll(observation, nowS, out);
    this.#isActive = out.active;
    if (out.action !== action) this.#refuse('it replaced the action of a command, which it is to fill');
    if (!out.active) return;
    if (out.phase !== 'recover' && out.phase !== 'correct')
      this.#refuse(`its phase is ${String(out.phase)}, neither recover nor correct`);
    if (out.absolute === undefined) checkAction('config', this.#who, action, this.#actionSize);
    // The clutch checks that its numbers are finite.
    else if (out.absolute?.pose?.length !== this.#actionSize)
      this.#refuse(`its pose is not ${this.#actionSize} numbers, one a dimension of the action`);
  }

  watch(): void {
    this.#source.watch?.();
  }

  giveBack(): void {
    this.#source.giveBack?.();
  }

  liftStop(): void {
    liftStopOf(this.#source);
  }

  onControlLost(by: string): void {
    this.#source.onControlLost?.(by);
  }

  reset(): void {
    this.#source.reset();
  }

  close(): void {
    this.#source.close();
  }
}

/** Rejects an operator returned by the plugin `name` that a node could not use. Throws `ReinError('config')`. */
function checkOperator(source: unknown, name: string): asserts source is TeleopSource {
  const refuse = checkGiven('operator', name, source);
  const given = source as Partial<TeleopSource>;
  if (typeof given.name !== 'string' || given.name === '') return refuse('it has no name');
  if (given.decidedBy !== 'human' && given.decidedBy !== 'scripted')
    return refuse('its decidedBy is neither human nor scripted');
}
