/**
 * Which controllers are active, as ros2_control's controller_manager keeps it: two that claim the same joints are never
 * active together, and a strict switch is done whole or not at all.
 */

export interface ManagedController {
  readonly name: string;
  readonly type: string;
  /** The command interfaces that it writes to. Broadcasters claim nothing. */
  readonly claims: readonly string[];
  /** What it moves: of two with the same, one is active at a time, whatever interfaces they claim. */
  readonly group?: string;
}

export interface SwitchRequest {
  readonly activate: readonly string[];
  readonly deactivate: readonly string[];
  /** Strict: all or nothing. Otherwise what is unknown is left out. */
  readonly isStrict: boolean;
}

export type SwitchAnswer = { readonly ok: true } | { readonly ok: false; readonly message: string };

export class ControllerManager {
  readonly controllers: readonly ManagedController[];
  readonly #active: Set<string>;
  readonly #onSwitch: (activated: readonly string[], deactivated: readonly string[]) => void;

  constructor(
    controllers: readonly ManagedController[],
    active: readonly string[],
    onSwitch: (activated: readonly string[], deactivated: readonly string[]) => void,
  ) {
    this.controllers = controllers;
    this.#active = new Set(active);
    this.#onSwitch = onSwitch;
  }

  isActive(name: string): boolean {
    return this.#active.has(name);
  }

  switch(request: SwitchRequest): SwitchAnswer {
    const unknown = [...request.activate, ...request.deactivate].filter((name) => this.#find(name) === undefined);
    if (unknown.length > 0 && request.isStrict) return refused(`there is no controller named "${unknown[0]}"`);
    const idle = request.deactivate.find((name) => this.#find(name) !== undefined && !this.isActive(name));
    if (idle !== undefined && request.isStrict) return refused(`"${idle}" is not active`);
    const deactivated = request.deactivate.filter((name) => this.isActive(name));
    const staying = [...this.#active].filter((name) => !deactivated.includes(name));
    const activated: string[] = [];
    for (const name of new Set(request.activate)) {
      if (this.#find(name) === undefined) continue;
      if (staying.includes(name)) {
        if (request.isStrict) return refused(`"${name}" is active already`);
        continue;
      }
      const rival = [...staying, ...activated].find((other) => this.#conflict(name, other));
      if (rival !== undefined) return refused(`"${name}" and "${rival}" command the same joints`);
      activated.push(name);
    }
    for (const name of deactivated) this.#active.delete(name);
    for (const name of activated) this.#active.add(name);
    if (activated.length + deactivated.length > 0) this.#onSwitch(activated, deactivated);
    return { ok: true };
  }

  #find(name: string): ManagedController | undefined {
    return this.controllers.find((controller) => controller.name === name);
  }

  #conflict(one: string, other: string): boolean {
    const group = this.#find(one)?.group;
    return group !== undefined && group === this.#find(other)?.group;
  }
}

function refused(message: string): SwitchAnswer {
  return { ok: false, message };
}
