/** Live view: the robot, who is in control, activity of the safety chain, and the operator's buttons. */
import { useEffect, useState } from 'preact/hooks';
import { badgeOf, heldText } from '../page/shown-state.ts';
import { Cameras, Figures, Stages, Tank } from './figures.tsx';
import { MoveButton } from './move-button.tsx';
import {
  device,
  directions,
  gamepadName,
  isRecovering,
  isSeated,
  keyLabel,
  keys,
  SPEEDS,
  setTouch,
  sit,
  speed,
  start,
  takeOver,
  unknownPad,
  wanted,
} from './operate.ts';
import { Picture } from './picture.tsx';
import { Recording } from './recording.tsx';
import {
  ask,
  frame,
  isDriver,
  isGivenName,
  operators,
  person,
  run,
  setPerson,
  state,
  status,
  words,
} from './stream.ts';
import { HandTracking } from './webxr.tsx';

export function Live() {
  return (
    <div class="live">
      <div class="column">
        <div class="scene-place">
          <Picture frame={frame} joints={status.value?.tool?.jointsM} />
          {isSeated.value ? <Pads /> : null}
        </div>
        <Figures />
        <Tank />
        <Cameras />
      </div>
      <div class="column">
        <Controls />
        <Recording />
        <Stages />
      </div>
    </div>
  );
}

function Controls() {
  const seat = operators.value;
  const isMine = isSeated.value;
  const watches = seat?.right === 'watch';
  const [isNameAsked, askName] = useState(isGivenName(person.peek()));
  return (
    <section class="controls" aria-label="Control">
      <h2>Control</h2>
      <p id="seat">
        {watches
          ? 'This link only shows the robot. It can stop it.'
          : isMine
            ? 'You operate this robot.'
            : seat === undefined || seat.holder === ''
              ? 'No page operates this robot.'
              : `${seat.holder} operates this robot.`}
      </p>
      <HeldBy />
      {watches && !words.has('watch') ? <Token /> : null}
      {watches || (isMine && !isNameAsked) ? null : (
        <label class="person">
          {isMine ? `Recorded as ${person.value}. Your name: ` : 'Your name, for the record '}
          <input
            id="name"
            maxLength={40}
            value={person.value}
            onInput={(event) => setPerson(event.currentTarget.value)}
            onChange={() => {
              askName(false);
              if (isMine) sit();
            }}
          />
        </label>
      )}
      <div class="buttons">
        <MoveButton id="take-over" isOff={watches} press={takeOver}>
          Take over
        </MoveButton>
        <MoveButton id="give-back" isOff={!isMine} press={() => ask({ kind: 'giveBack' })}>
          Give back
        </MoveButton>
        <MoveButton id="start" isOff={watches} isWanted={status.value?.operator.held !== undefined} press={start}>
          Start
        </MoveButton>
        <button type="button" id="pause" disabled={!isMine} onClick={() => ask({ kind: 'pause' })}>
          Pause
        </button>
        <button
          type="button"
          id="reset"
          title="Acknowledges what stopped the robot, and moves nothing"
          disabled={!isMine}
          onClick={() => ask({ kind: 'reset' })}
        >
          Reset
        </button>
        <MoveButton id="rewind" isOff={!isMine} press={() => ask({ kind: 'rewind' })}>
          Rewind
        </MoveButton>
        {run.value?.task.isPhased === true ? (
          <MoveButton id="critical" isOff={!isMine} press={() => ask({ kind: 'critical' })}>
            Critical phase
          </MoveButton>
        ) : null}
        {run.value?.task.isJudged === false ? null : (
          <>
            <button
              type="button"
              id="success"
              disabled={!isMine}
              onClick={() => ask({ kind: 'mark', mark: 'success' })}
            >
              ✓ Success
            </button>
            <button
              type="button"
              id="failure"
              disabled={!isMine}
              onClick={() => ask({ kind: 'mark', mark: 'failure' })}
            >
              ✗ Failure
            </button>
          </>
        )}
        {isMine ? (
          <button type="button" id="leave" onClick={() => ask({ kind: 'leave' })}>
            Leave the seat
          </button>
        ) : watches ? null : (
          <button type="button" id="sit" onClick={sit}>
            Take the seat
          </button>
        )}
        <button type="button" disabled={!isMine} onClick={() => ask({ kind: 'savePolicy' })}>
          Save policy
        </button>
        <button type="button" disabled={!isMine} onClick={() => ask({ kind: 'rollbackPolicy' })}>
          Roll back policy
        </button>
      </div>
      {isMine ? <Hands /> : null}
    </section>
  );
}

/** Reason for the robot's stop, and the button that ends it. */
function HeldBy() {
  const held = status.value?.operator.held;
  if (held === undefined || state.value === undefined) return null;
  const { ends } = badgeOf(state.value, status.value, isDriver.value);
  const text = held.kind === 'fault' ? ends : `${capital(heldText(held))}. ${ends}`;
  return <p id="held">{operators.value?.right === 'watch' ? `${text} Only its operator may press that.` : text}</p>;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Hands() {
  return (
    <div class="hands">
      <label>
        Speed{' '}
        <select
          id="speed"
          value={String(speed.value)}
          onChange={(event) => {
            speed.value = Number(event.currentTarget.value);
            event.currentTarget.blur();
          }}
        >
          {SPEEDS.map((value) => (
            <option key={value} value={String(value)}>
              {100 * value} %
            </option>
          ))}
        </select>
      </label>
      {run.value?.task.hasToolFrame === true ? (
        <label>
          Forward, left and up of the{' '}
          <select
            id="directions"
            value={directions.value}
            onChange={(event) => {
              directions.value = event.currentTarget.value === 'tool' ? 'tool' : 'base';
              event.currentTarget.blur();
            }}
          >
            <option value="base">base</option>
            <option value="tool">tool</option>
          </select>
        </label>
      ) : null}
      <label>
        <input
          type="checkbox"
          checked={isRecovering.value}
          onChange={(event) => {
            isRecovering.value = event.currentTarget.checked;
            event.currentTarget.blur();
          }}
        />{' '}
        recovering
      </label>
      <Keys />
      <p class="soft">
        {isDriver.value && state.value === 'active.human'
          ? `You drive, by ${device.value}.`
          : 'Take over, then hold a key, a finger on a stick, or LB of a gamepad.'}
        {gamepadName.value === '' ? '' : ` Gamepad: ${gamepadName.value}`}
      </p>
      {unknownPad.value === '' ? null : (
        <p id="unknown-pad">
          This browser does not know the layout of {unknownPad.value}, so it moves nothing: set its switch to X
          (XInput), try another browser, or plug it in at the robot and start with --operator gamepad.
        </p>
      )}
      <HandTracking />
    </div>
  );
}

/** On a phone the pads overlay the picture, so that the operator sees what moves. */
function Pads() {
  return (
    <div class="pads">
      <TouchPad name="x, y" place={0} />
      <TouchPad name="z, yaw" place={2} />
    </div>
  );
}

function Keys() {
  return (
    <ul class="keys">
      {keys.value.map(({ name, keys: [more, less] }, i) => (
        <li key={name}>
          <kbd>{keyLabel(more)}</kbd>/<kbd>{keyLabel(less)}</kbd> {name}
          <Swing value={wanted.value[i] ?? 0} />
        </li>
      ))}
    </ul>
  );
}

/** Bar of the requested value, −1 to 1 from the middle; empty at 0. */
function Swing({ value }: { readonly value: number }) {
  const percent = 50 * Math.abs(value);
  return (
    <span class="swing" aria-hidden="true">
      <i style={{ left: `${value < 0 ? 50 - percent : 50}%`, width: `${percent}%` }} />
    </span>
  );
}

/** Token entry: operating a real robot requires the token printed in its terminal. It is kept in the page's address. */
function Token() {
  const enter = (event: SubmitEvent): void => {
    event.preventDefault();
    const token = new FormData(event.currentTarget as HTMLFormElement).get('token');
    location.hash = new URLSearchParams({ token: String(token).trim() }).toString();
    location.reload();
  };
  return (
    <form class="person" onSubmit={enter}>
      <label>
        To operate it, the token: what follows #token= where the robot's terminal names this page{' '}
        <input name="token" type="password" autocomplete="off" required />
      </label>{' '}
      <button type="submit">Let me operate</button>
    </form>
  );
}

const touched: [number, number, number, number] = [0, 0, 0, 0];

/** Resets the stick at `place` when no finger touches it. */
function letGo(place: 0 | 2): void {
  touched.fill(0, place, place + 2);
  setTouch(touched.every((value) => value === 0) ? undefined : [...touched]);
}

/** Touch stick: up and left are positive, as on a gamepad. */
function TouchPad({ name, place }: { readonly name: string; readonly place: 0 | 2 }) {
  const [at, setAt] = useState<readonly [number, number] | undefined>(undefined);
  /** Touch-down position, px; motion starts from there, wherever on the pad it is. */
  const [middle, setMiddle] = useState<readonly [number, number]>([0, 0]);
  const move = (event: PointerEvent): void => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const right = Math.max(-1, Math.min(1, (2 * (event.clientX - middle[0])) / box.width));
    const down = Math.max(-1, Math.min(1, (2 * (event.clientY - middle[1])) / box.height));
    touched[place] = -down;
    touched[place + 1] = -right;
    setAt([right, down]);
    device.value = 'touch';
    setTouch([...touched]);
  };
  const begin = (event: PointerEvent): void => {
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    setMiddle([event.clientX, event.clientY]);
    touched[place] = 0;
    touched[place + 1] = 0;
    setAt([0, 0]);
    setTouch([...touched]);
  };
  const end = (): void => {
    setAt(undefined);
    letGo(place);
  };
  // Also runs when the stick unmounts under a finger, with its view or with the seat: no further event comes for that finger.
  useEffect(() => () => letGo(place), [place]);
  return (
    <div
      class="pad"
      role="application"
      aria-label={`Stick for ${name}`}
      onPointerDown={begin}
      onPointerMove={(event) => (at === undefined ? undefined : move(event))}
      onPointerUp={end}
      onPointerCancel={end}
    >
      <span>{name}</span>
      {at === undefined ? null : <i style={{ left: `${50 + 50 * at[0]}%`, top: `${50 + 50 * at[1]}%` }} />}
    </div>
  );
}
