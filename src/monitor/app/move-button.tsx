/** A button that moves the robot or hands it over. The focus leaves it once it is pressed: no key presses it again by chance. */
import type { ComponentChildren } from 'preact';

interface MoveButtonProps {
  readonly id: string;
  readonly isOff: boolean;
  /** It is the one to press now. */
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
