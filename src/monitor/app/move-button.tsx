/** Button that moves the robot or hands it over. It loses focus once pressed, so that no key presses it again by accident. */
import type { ComponentChildren } from 'preact';

interface MoveButtonProps {
  readonly id: string;
  readonly isOff: boolean;
  /** Highlighted as the next step. */
  readonly isWanted?: boolean;
  readonly press: () => void;
  readonly children: ComponentChildren;
}

export function MoveButton({ id, isOff, isWanted = false, press, children }: MoveButtonProps) {
  return (
    <button
      type="button"
      id={id}
      class={isWanted ? 'wanted-now' : undefined}
      disabled={isOff}
      onClick={(event) => {
        event.currentTarget.blur();
        press();
      }}
    >
      {children}
    </button>
  );
}
