/** The declared parameters of one node: values, and one set of checks for every way to change them. */
import type { ParameterDeclaration, ParameterListener, ParameterSet, ParameterValue } from '../port/ros-port.ts';
import { applyGiven, unfit } from './declared.ts';
import type { GivenValue } from './scalars.ts';

export class ParameterStore implements ParameterSet {
  readonly declarations: ReadonlyMap<string, ParameterDeclaration>;
  readonly #values: Map<string, ParameterValue>;
  readonly #given: ReadonlySet<string>;
  readonly #onSet: ParameterListener | undefined;

  /** Throws `ReinError('config', …)` for given values that do not fit. */
  constructor(
    declarations: readonly ParameterDeclaration[],
    given: ReadonlyMap<string, GivenValue>,
    onSet?: ParameterListener,
  ) {
    this.declarations = new Map(declarations.map((declaration) => [declaration.name, declaration]));
    this.#values = new Map(applyGiven(declarations, given));
    this.#given = new Set([...given.keys()].filter((name) => this.declarations.has(name)));
    this.#onSet = onSet;
  }

  get(name: string): ParameterValue {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`the parameter "${name}" is not declared`);
    return value;
  }

  isGiven(name: string): boolean {
    return this.#given.has(name);
  }

  /** Why `name` may not become `value`, as a sentence; `undefined` where it may. Asks the listener last. */
  refusal(name: string, value: ParameterValue | undefined): string | undefined {
    const declaration = this.declarations.get(name);
    if (declaration === undefined) return `there is no parameter "${name}"`;
    if (declaration.isReadOnly) return `${name} is fixed once the node runs; give it at the start`;
    if (value === undefined) return `${name} cannot be taken away`;
    return unfit(declaration, value) ?? this.#onSet?.(name, value);
  }

  /** Takes over what `refusal` let through. */
  accept(name: string, value: ParameterValue): void {
    this.#values.set(name, value);
  }
}
